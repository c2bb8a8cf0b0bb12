"""For the programs of experiments: how they say what they measured.

An arm of an experiment is a program like any other, so that it can be run by plain `python`, by
`headstart profile` and by `headstart run`, and read and changed by whoever doubts it. What it measures goes to
the file named by `HEADSTART_LAB_NOTES`, away from what the program prints; without that variable it is printed.
Only the standard library is used, and nothing that costs time when a start is measured.
"""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NOTES_VARIABLE = "HEADSTART_LAB_NOTES"


def note(**values: object) -> None:
    """Say what was measured: numbers, lists of numbers, or words."""
    _write({"note": values})


def laps(function: Callable[[], object], count: int) -> list[float]:
    """Call a function again and again; the seconds of each call."""
    now = time.perf_counter
    seconds = []
    for _ in range(count):
        start = now()
        function()
        seconds.append(now() - start)
    return seconds


class clock:
    """Times the block under it, and says when it began and ended, so that headstart's own record of the same
    stretch can be compared with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seconds = 0.0
        self._start_ns = 0

    def __enter__(self) -> clock:
        self._start_ns = time.monotonic_ns()
        return self

    def __exit__(self, *failure: object) -> None:
        end_ns = time.monotonic_ns()
        self.seconds = (end_ns - self._start_ns) / 1e9
        _write({"clock": self.name, "start_ns": self._start_ns, "end_ns": end_ns})


def resident_bytes() -> int:
    """Memory of this process that is in use now, after a collection."""
    import gc

    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as handle:
        return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def process_age() -> float:
    """Seconds since this process began, as the kernel says (to a hundredth)."""
    with open("/proc/self/stat", encoding="ascii", errors="replace") as handle:
        ticks = int(handle.read().rsplit(")", 1)[1].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


def _write(line: dict[str, object]) -> None:
    text = json.dumps(line)
    path = os.environ.get(NOTES_VARIABLE)
    if path:
        with open(path, "a", encoding="utf-8") as handle:
            handle.write(text + "\n")
    else:
        print(text)
