"""What `headstart run` keeps from one run to the next: traces, optimised graphs, compiled programs.

Process start to the end of step 1, beside plain `python`, second and later runs; and the first run, which fills
the cache. BENCH_ROUNDS makes it shorter; BENCH_CACHE names programs (with commas) to measure anew, the others' rows
stay.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable
from typing import NamedTuple

from ._measure import HEADSTART, PROGRAMS, ratio_text, timed
from ._servers import PYTHON, headstart, server
from ._turns import in_turns, neighbours, together

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))


class Row(NamedTuple):
    """A program, and what it must reach: times faster warm and cold, and the first run over plain `python`."""

    label: str
    program: str
    steps: int
    """How many each run takes in turns with the others, for some seconds of steady steps."""
    warm: float
    cold: float
    first: float
    times: int = 1
    """Short programs are run more often: what disturbs a run is more of it."""


ROWS = (
    Row("ResNet50 `fit`, 64×64, batch 8, Adam", "resnet50_fit", 16, 8, 5, 0.7),
    Row("DenseNet121 `fit`, same data", "densenet121_fit", 16, 8, 5, 0.7),
    Row("MobileNetV2 `fit`, same data", "mobilenetv2_fit", 40, 8, 5, 0.7),
    Row("transformer of 6 layers, own `tf.function` loop", "transformer_loop", 200, 4, 2.5, 1.1),
    Row("convolutional net, `jit_compile=True`", "conv_jit", 200, 4, 2, 1.1, 2),
    Row("digits example", "digits", 450, 8, 1.5, 1.1, 2),
)


def main() -> str:
    wanted = os.environ.get("BENCH_CACHE")
    before = _measured_before() if wanted else {}
    lines = [
        "## What is kept between runs",
        "",
        "Seconds from process start to the end of step 1. Times faster than `python`, second and later runs.",
        "",
        "| program | `python` | first run | warm | cold (`--no-warm`) | steady step, warm | cold |",
        "|---|---|---|---|---|---|---|",
    ]
    with server() as env:
        for row in ROWS:
            if not wanted or row.program in wanted.split(","):
                lines.append(_row(row, env))
            elif row.label in before:
                lines.append(before[row.label])
    return "\n".join(
        [
            *lines,
            "",
            "First run: an empty cache, no warm interpreter; over `python`. In brackets what is wanted.",
            "Steady step: over `python`, from programs that step in turns: the median of neighbours, its mean over the "
            "rounds with Student's interval.",
        ]
    )


def _to_first_step(command: list[str], env: dict[str, str]) -> float:
    seconds = timed(command, env).first_step
    assert seconds is not None
    return seconds


def _measured_before() -> dict[str, str]:
    """The rows that are in the page, by label: some can be measured anew and the others stay."""
    from .__main__ import sections

    rows = [line for line in sections().get("cache", "").splitlines() if line.startswith("| ")]
    return {line.split(" | ")[0].removeprefix("| "): line for line in rows}


def _row(row: Row, env: dict[str, str]) -> str:
    program = str(PROGRAMS / f"{row.program}.py")

    def first() -> float:
        with tempfile.TemporaryDirectory() as empty:
            return _to_first_step([*run, "--no-warm", program], {**env, "HEADSTART_CACHE_DIR": empty})

    run = [HEADSTART, "run"]
    timed([*run, "--no-warm", program], env)  # fills the cache
    # A server that has nothing to learn from these runs: one that has starts anew in a quiet minute.
    headstart(env, "warm", "stop")
    headstart(env, "warm", "start")
    timed([*run, "--only-warm", program], env)
    many = {**env, "BENCH_STEPS": str(row.steps + 2)}  # it is not asked to end while another takes its steps
    turns = {
        "python": ([PYTHON, program], many),
        "warm": ([*run, "--only-warm", program], many),
        "cold": ([*run, "--no-warm", program], many),
    }
    # Each with the machine to itself: even beside one that only waits, a start takes a tenth longer.
    alone: dict[str, Callable[[], float]] = {
        "first": first,
        "warm": lambda: _to_first_step([*run, "--only-warm", program], env),
        "cold": lambda: _to_first_step([*run, "--no-warm", program], env),
    }
    steps: dict[str, list[float]] = {arm: [] for arm in ("python", *alone)}
    steady: dict[str, list[float]] = {"warm": [], "cold": []}
    rng = random.Random(0)
    rounds = ROUNDS * row.times
    for number in range(rounds):
        print(f"  {row.program}: round {number + 1}/{rounds}", file=sys.stderr, flush=True)
        for arm in rng.sample(list(alone), len(alone)):
            steps[arm].append(alone[arm]())
        python, taken = in_turns(turns, row.steps, rng)
        steps["python"].append(python)
        for arm, ratios in steady.items():
            ratios.append(neighbours(taken["python"], taken[arm]))
    seconds = {arm: f"{statistics.median(times):.2f} s" for arm, times in steps.items()}
    plain = steps["python"]
    return (
        f"| {row.label} | {seconds['python']} "
        f"| {seconds['first']}, {ratio_text(plain, steps['first'])} (≤ {row.first}) "
        f"| {seconds['warm']}, {ratio_text(steps['warm'], plain)} (≥ {row.warm:g}×) "
        f"| {seconds['cold']}, {ratio_text(steps['cold'], plain)} (≥ {row.cold:g}×) "
        f"| {together(steady['warm'])} (≤ 1.01) | {together(steady['cold'])} (≤ 1.01) |"
    )
