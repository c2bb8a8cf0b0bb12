"""What the ledger says of a program's whole time, beside clocks that headstart has no part in."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from ._kernel_clock import KernelClock
from ._measure import HEADSTART, ROOT


class Seen(NamedTuple):
    """One program."""

    name: str
    wall: float
    kernel: float
    command: float


def main() -> str:
    programs = [*sorted((ROOT / "examples").glob("*.py")), *sorted((ROOT / "cases").glob("[0-9]*.py"))]
    seen = [_profiled(program) for program in programs]
    lines = [
        "## The ledger beside clocks outside",
        "",
        f"All {len(seen)} examples and cases under `headstart profile --json`, once each. How far the other clock is from "
        "`wall_seconds`:",
        "",
        "| clock | median | furthest | program |",
        "|---|--:|--:|---|",
    ]
    for label, clock in (
        ("the kernel's account of the program's process", "kernel"),
        ("around the whole command", "command"),
    ):
        apart = {one.name: getattr(one, clock) / one.wall - 1 for one in seen}
        furthest = max(apart, key=lambda name: abs(apart[name]))
        middle = statistics.median(map(abs, apart.values()))
        lines.append(
            f"| {label} | {100 * middle:.1f} % | {100 * apart[furthest]:+.1f} % | {_about(seen, furthest)} |"
        )
    without = max((one for one in seen if one.wall > 1), key=lambda one: one.command / one.wall)
    lines += [
        "",
        "The kernel's account ends when a process gives up its memory, which for a large one takes some more milliseconds. "
        "The whole command has headstart's own start and its report in it; of programs of more than a second, that is "
        f"{100 * (without.command / without.wall - 1):+.1f} % at the most ({without.name}).",
    ]
    return "\n".join(lines)


def _about(seen: list[Seen], name: str) -> str:
    (wall,) = (one.wall for one in seen if one.name == name)
    return f"{name}, {wall:.2f} s"


def _profiled(program: Path) -> Seen:
    print(f"  {program.name}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder, KernelClock() as kernel:
        out = Path(folder) / "report.json"
        command = [HEADSTART, "profile", "--quiet", "--json", str(out), str(program)]
        start = time.monotonic()
        running = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        running.wait()
        seconds = time.monotonic() - start
        # The longest of its children: others only help it to tell.
        return Seen(
            program.name,
            json.loads(out.read_text())["wall_seconds"],
            max(kernel.seconds(running.pid)),
            seconds,
        )
