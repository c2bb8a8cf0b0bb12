"""What `headstart run` keeps from one run to the next: traces, optimised graphs, compiled programs.

Process start to the end of step 1, beside plain `python`, second and later runs; and the first run, which fills
the cache. BENCH_ROUNDS makes it shorter; BENCH_CACHE names programs (with commas) to measure anew, the others' rows
stay.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable
from typing import NamedTuple

from ._measure import HEADSTART, PROGRAMS, Timing, interleaved, ratio_text, timed
from ._servers import PYTHON, headstart, server

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))


class Row(NamedTuple):
    """A program, and what it must reach: times faster warm and cold, and the first run over plain `python`."""

    label: str
    program: str
    steps: int
    """Enough for some seconds of steady steps, whose median then says more than that of a handful."""
    warm: float
    cold: float
    first: float


ROWS = (
    Row("ResNet50 `fit`, 64×64, batch 8, Adam", "resnet50_fit", 16, 8, 5, 0.7),
    Row("DenseNet121 `fit`, same data", "densenet121_fit", 16, 8, 5, 0.7),
    Row("MobileNetV2 `fit`, same data", "mobilenetv2_fit", 40, 8, 5, 0.7),
    Row("transformer of 6 layers, own `tf.function` loop", "transformer_loop", 200, 4, 2.5, 1.1),
    Row("convolutional net, `jit_compile=True`", "conv_jit", 200, 4, 2, 1.1),
    Row("digits example", "digits", 450, 8, 1.5, 1.1),
)


def main() -> str:
    wanted = os.environ.get("BENCH_CACHE")
    before = _measured_before() if wanted else {}
    lines = [
        "## What is kept between runs",
        "",
        "Seconds from process start to the end of step 1. Times faster than `python`, second and later runs.",
        "",
        "| program | `python` | first run | warm | cold (`--no-warm`) | steady step |",
        "|---|---|---|---|---|---|",
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
            "First run: an empty cache, no warm interpreter; over `python`. Steady step: cold, over `python`.",
            "In brackets what is wanted.",
        ]
    )


def _measured_before() -> dict[str, str]:
    """The rows that are in the page, by label: some can be measured anew and the others stay."""
    from .__main__ import sections

    rows = [line for line in sections().get("cache", "").splitlines() if line.startswith("| ")]
    return {line.split(" | ")[0].removeprefix("| "): line for line in rows}


def _row(row: Row, env: dict[str, str]) -> str:
    program = str(PROGRAMS / f"{row.program}.py")

    def first() -> Timing:
        with tempfile.TemporaryDirectory() as empty:
            return timed([HEADSTART, "run", "--no-warm", program], {**env, "HEADSTART_CACHE_DIR": empty})

    many = {**env, "BENCH_STEPS": str(row.steps)}
    timed([HEADSTART, "run", "--no-warm", program], env)  # fills the cache
    # A server that has nothing to learn from these runs: one that has starts anew in a quiet minute.
    headstart(env, "warm", "stop")
    headstart(env, "warm", "start")
    timed([HEADSTART, "run", "--only-warm", program], env)
    arms: dict[str, Callable[[], Timing]] = {
        "python": lambda: timed([PYTHON, program], many),
        "warm": lambda: timed([HEADSTART, "run", "--only-warm", program], env),
        "cold": lambda: timed([HEADSTART, "run", "--no-warm", program], many),
        "first": first,
    }
    found = interleaved(arms, ROUNDS)
    steps = {
        arm: [run.first_step for run in runs if run.first_step is not None] for arm, runs in found.items()
    }
    steady = {arm: [run.steady for run in runs if run.steady is not None] for arm, runs in found.items()}
    seconds = {arm: f"{statistics.median(times):.2f} s" for arm, times in steps.items()}
    plain = steps["python"]
    return (
        f"| {row.label} | {seconds['python']} "
        f"| {seconds['first']}, {ratio_text(plain, steps['first'])} (≤ {row.first}) "
        f"| {seconds['warm']}, {ratio_text(steps['warm'], plain)} (≥ {row.warm:g}×) "
        f"| {seconds['cold']}, {ratio_text(steps['cold'], plain)} (≥ {row.cold:g}×) "
        f"| {ratio_text(steady['python'], steady['cold'])} (≤ 1.01) |"
    )
