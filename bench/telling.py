"""Does `compare` tell a change from noise? Real runs of a small program, with and without a planted change."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from headstart import api
from headstart.analyse.compare import compare
from headstart.analyse.report import Report

RUNS = 40
A_SIDE = 10
# Three stretches of import work; the middle one can be made a tenth longer.
PROGRAM = """
import sys, time
sys.path.insert(0, {folder!r})
import first, second, third
for step in range(20):
    sum(i * i for i in range(20_000))
"""
MODULE = "import {names}\nfor _ in range({rounds}): sum(i * i for i in range(10_000))\n"


def main() -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = _program(folder / "plain", 1.0)
        slower = _program(folder / "slower", 1.1)
        same: list[Report] = []
        changed: list[Report] = []
        for number in range(RUNS):
            for program, side in ((plain, same), (slower, changed)):
                record = folder / f"{len(side)}-{number}.hsrun"
                command = [sys.executable, "-m", "headstart", "profile", "-q", "--record", record, program]
                subprocess.run(command, check=True)
                side.append(api.report_of([str(record)]).report)
                record.unlink()
    rng = random.Random(1)
    alarms = named = others = 0
    for _ in range(20):
        pool = rng.sample(same, 2 * A_SIDE)
        alarms += bool(compare(pool[:A_SIDE], pool[A_SIDE:]).told)
        found = compare(rng.sample(same, A_SIDE), rng.sample(changed, A_SIDE))
        phases = {change.name for change in found.told if change.group == "phase"}
        named += "imports" in phases
        others += bool(phases - {"imports"})
    return (
        "## Telling a change from noise\n\n"
        f"{RUNS} interleaved runs each of a small program and of the same with a tenth more work in its imports; "
        f"20 draws of {A_SIDE} runs a side.\n\n"
        "| compared | told |\n|---|--:|\n"
        f"| identical programs: any difference | {alarms} of 20 |\n"
        f"| a tenth more imports: the phase is named | {named} of 20 |\n"
        f"| a tenth more imports: another phase is named | {others} of 20 |\n"
    )


def _program(folder: Path, factor: float) -> Path:
    folder.mkdir()
    rounds = {"first": 40, "second": 200, "third": 40}
    for name, count in rounds.items():
        text = MODULE.format(
            names="json, string, email", rounds=round(count * (factor if name == "second" else 1))
        )
        (folder / f"{name}.py").write_text(text)
    path = folder / "program.py"
    path.write_text(PROGRAM.format(folder=str(folder)))
    return path
