"""What profiling costs: `headstart profile` over plain python."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable

from ._measure import HEADSTART, PROGRAMS, PYTHON, Timing, interleaved, ratio_text, timed

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
RESNET = str(PROGRAMS / "resnet50_fit.py")
IMPORT = str(PROGRAMS / "import_tensorflow.py")


def main() -> str:
    return "\n".join(["## What the ledger costs", "", *_own_cost(), "", *_command_start()])


def _own_cost() -> list[str]:
    lines = [
        "| program | time to first step | whole run | steady step | processor time |",
        "|---|---|---|---|---|",
    ]
    for label, program, rounds in (
        ("`import tensorflow`", IMPORT, 8 * ROUNDS),
        ("ResNet50 `fit`", RESNET, ROUNDS),
    ):
        arms: dict[str, Callable[[], Timing]] = {
            "python": lambda p=program: timed([PYTHON, p]),  # type: ignore[misc]
            "profile": lambda p=program: timed([HEADSTART, "profile", "--quiet", p]),  # type: ignore[misc]
        }
        found = interleaved(arms, rounds)
        ratios = [_ratio(found, field) for field in ("first_step", "wall", "steady", "cpu")]
        lines.append(f"| {label} | {' | '.join(ratios)} |")
    return [*lines, "", "`headstart profile --quiet` over plain `python`; 1.000× is no cost."]


def _ratio(found: dict[str, list[Timing]], field: str) -> str:
    before = [value for run in found["python"] if (value := getattr(run, field)) is not None]
    after = [value for run in found["profile"] if (value := getattr(run, field)) is not None]
    return ratio_text(before, after) if before and after else "–"


def _command_start() -> list[str]:
    """`headstart --version` over bare `python -c pass`."""

    def once(command: list[str]) -> float:
        start = time.monotonic_ns()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return (time.monotonic_ns() - start) / 1e6

    bare, own = [], []
    for _ in range(20):
        bare.append(once([PYTHON, "-c", "pass"]))
        own.append(once([HEADSTART, "--version"]))
    extra = statistics.median(own) - statistics.median(bare)
    return [
        f"`headstart --version` takes {extra:.0f} ms more than `python -c pass` ({statistics.median(bare):.0f} ms)."
    ]
