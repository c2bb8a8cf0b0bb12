"""Does `compare` tell a change from noise? Real runs, with and without a planted change of a tenth in one phase."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from headstart import api
from headstart.analyse.compare import compare
from headstart.analyse.report import Report
from headstart.analyse.speed import phase_seconds
from headstart.analyse.stats import median

A_SIDE = 10
PAIRS = 20
TENSORFLOW_ROUNDS = 12
CALIBRATIONS = 5
DEALS = 200
"""Twenty comparisons without an alarm may be luck: identical runs are also dealt out anew, so often."""
# Work whose amount is set from outside: so many rounds more in one phase, and nothing else differs.
WORK = """
import os
def work(phase, least=0):
    for _ in range(least + int(os.environ.get("EXTRA_" + phase, 0))):
        sum(i * i for i in range(10_000))
"""
SMALL = "import first, at_import, third\nfor step in range(20): sum(i * i for i in range(20_000))\n"
MODULE = "import json, string, email.mime.text, decimal, fractions\nfrom work import work\nwork({phase!r}, {least})\n"
TENSORFLOW = """
import tensorflow as tf
import at_import
from work import work
layers = [tf.keras.layers.Dense(16, activation="relu") for _ in range(50)]
model = tf.keras.Sequential([tf.keras.Input((16,)), *layers, tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
optimizer.build(model.trainable_variables)
x, y = tf.random.normal((32, 16)), tf.random.normal((32, 1))

@tf.function(autograph=False)
def train_step(x, y):
    work("tracing")
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss

for _ in range(30):
    train_step(x, y)
"""


def main() -> str:
    with tempfile.TemporaryDirectory() as name:
        rows = [*small(Path(name) / "small"), *large(Path(name) / "large")]
    return "\n".join(
        (
            "## Telling a change from noise\n",
            f"{A_SIDE} runs a side, interleaved. Each row of the small program (imports alone, a fraction of a second) is "
            f"{PAIRS} comparisons of fresh runs; those of the TensorFlow program are draws of {A_SIDE} out of "
            f"{TENSORFLOW_ROUNDS} rounds. Dealt out anew: identical runs, put into two sides by chance again and "
            "again.\n",
            "| compared | told |",
            "|---|--:|",
            *rows,
            "",
        )
    )


def small(folder: Path) -> Iterator[str]:
    """Identical runs, and runs with a tenth more imports, of a program that takes a quarter of a second."""
    program = _Program(folder, SMALL, 150)
    extra = program.rounds_for_a_tenth("imports")
    alarms, found, alike = 0, [], []
    for number in range(PAIRS):
        print(f"  small program: {number + 1}/{PAIRS}", file=sys.stderr, flush=True)
        sides = program.interleaved([{}, {}, extra], A_SIDE)
        alarms += bool(compare(sides[0], sides[1]).told)
        alike.append(sides[0] + sides[1])
        found.append(_named(sides[0], sides[2], "imports"))
    yield f"| small program, identical: any difference | {alarms} of {PAIRS} |"
    yield _dealt_anew(alike)
    yield from _rows("small program", "imports", found)


def large(folder: Path) -> Iterator[str]:
    """A TensorFlow program with a tenth more in one of two phases; draws, since its runs take seconds."""
    program = _Program(folder, TENSORFLOW, 0)
    arms = {phase: program.rounds_for_a_tenth(phase) for phase in ("imports", "tracing")}
    print("  TensorFlow program", file=sys.stderr, flush=True)
    base, same, *changed = program.interleaved([{}, {}, *arms.values()], TENSORFLOW_ROUNDS)
    rng = random.Random(1)
    alarms = 0
    for _ in range(PAIRS):
        chosen = sorted(rng.sample(range(TENSORFLOW_ROUNDS), A_SIDE))
        alarms += bool(compare([base[i] for i in chosen], [same[i] for i in chosen]).told)
    yield f"| TensorFlow program, identical: any difference | {alarms} of {PAIRS} |"
    yield _dealt_anew([base + same])
    for phase, side in zip(arms, changed, strict=True):
        found = []
        for _ in range(PAIRS):
            chosen = sorted(rng.sample(range(TENSORFLOW_ROUNDS), A_SIDE))
            found.append(_named([base[i] for i in chosen], [side[i] for i in chosen], phase))
        yield from _rows("TensorFlow program", phase, found)


def _dealt_anew(sets: Sequence[list[Report]]) -> str:
    rng = random.Random(2)
    alarms = 0
    for number in range(DEALS):
        dealt = rng.sample(sets[number % len(sets)], 2 * A_SIDE)
        alarms += bool(compare(dealt[:A_SIDE], dealt[A_SIDE:]).told)
    return f"| … dealt out anew | {alarms} of {DEALS} |"


def _rows(program: str, phase: str, found: Sequence[tuple[bool, bool]]) -> Iterator[str]:
    named, others = (sum(column) for column in zip(*found, strict=True))
    yield f"| {program}, {phase} a tenth longer: named | {named} of {len(found)} |"
    yield f"| … another phase named | {others} of {len(found)} |"


def _named(before: Sequence[Report], after: Sequence[Report], phase: str) -> tuple[bool, bool]:
    told = {change.name for change in compare(before, after).told if change.group == "phase"}
    return phase in told, bool(told - {phase})


class _Program:
    def __init__(self, folder: Path, text: str, least: int) -> None:
        folder.mkdir()
        self.path = folder / "program.py"
        self.path.write_text(text)
        (folder / "work.py").write_text(WORK)
        (folder / "at_import.py").write_text(MODULE.format(phase="imports", least=least))
        for name in ("first", "third"):
            (folder / f"{name}.py").write_text(MODULE.format(phase="none", least=40))
        self._random = random.Random(3)
        self._record = folder / "run.hsrun"

    def run(self, extra: Mapping[str, str]) -> Report:
        command = [sys.executable, "-m", "headstart", "profile", "-q", "--record", self._record, self.path]
        environ = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "HEADSTART_HISTORY": "off", **extra}
        subprocess.run(command, check=True, env=environ)
        found = api.report_of([str(self._record)]).report
        self._record.unlink()
        return found

    def interleaved(self, arms: Sequence[Mapping[str, str]], rounds: int) -> list[list[Report]]:
        """In an order that is drawn for each round: what comes back at regular times must not meet the same arm."""
        found: list[list[Report]] = [[] for _ in arms]
        order = list(range(len(arms)))
        for _ in range(rounds):
            self._random.shuffle(order)
            for arm in order:
                found[arm].append(self.run(arms[arm]))
        return found

    def rounds_for_a_tenth(self, phase: str) -> dict[str, str]:
        """How many rounds of work make this phase a tenth longer, here and now. The fastest run would not do: where a
        collection of garbage happens to fall into another phase, a third of the tracing is missing."""
        plain = median([phase_seconds(self.run({}), phase) for _ in range(CALIBRATIONS)])
        return {f"EXTRA_{phase}": str(max(1, round(0.1 * plain / _seconds_a_round())))}


def _seconds_a_round() -> float:
    """Alone: in a run, two hundred of them would be less than the noise."""
    space: dict[str, Any] = {}
    exec(WORK, space)
    return min(timeit.repeat(lambda: space["work"]("none", 20), number=1, repeat=10)) / 20
