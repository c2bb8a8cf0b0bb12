"""How much of a start the output of a profiler lets one give to a cause, read from what each tool wrote.

A tool that shows stacks or functions names a cause where a function that stands for it is in the stack: the
table below is generous, since its reader must know it. A tool that shows lines of the program names those
that only import or only build. What is left is time that the tool shows as one lump (a call of `fit`, an
executed function) in which several causes lie together.
"""

from __future__ import annotations

import json
import pstats
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

CAUSES = {
    "_find_and_load": "imports",
    "ResNet50": "model-build",
    "_maybe_define_function": "tracing",
    "_create_concrete_function": "tracing",
    "_initialize_context": "device-init",
    "ensure_initialized": "device-init",
}
LUMPS = frozenset({"unattributed", "first-step", "user-code"})


class _Event(msgspec.Struct):
    name: str = ""
    ph: str = ""
    ts: float = 0.0
    dur: float = 0.0
    tid: int = 0


class _Trace(msgspec.Struct):
    traceEvents: list[_Event]


def headstart(path: Path) -> float:
    phases = json.loads(path.read_text())["phases"]
    return sum(p["before_first_step_seconds"] for p in phases if p["id"] not in LUMPS)


def cprofile(path: Path) -> float:
    """Cumulative times; a recursive function counts once. Of two names for tracing, the larger."""
    seconds: dict[str, float] = {}
    for (_, _, function), entry in pstats.Stats(str(path)).stats.items():  # type: ignore[attr-defined]
        cause = CAUSES.get(function)
        if cause:
            seconds[cause] = max(seconds.get(cause, 0.0), entry[3])
    return sum(seconds.values())


def pyinstrument(path: Path) -> float:
    def walk(frame: dict[str, Any]) -> Iterator[float]:
        if frame["function"] in CAUSES:
            yield frame["time"]
            return
        for child in frame["children"]:
            yield from walk(child)

    return sum(walk(json.loads(path.read_text())["root_frame"]))


def viztracer(path: Path) -> float:
    """The outermost events of a cause on any thread; it keeps the last million events only."""
    events = msgspec.json.decode(path.read_bytes(), type=_Trace).traceEvents
    named = [e for e in events if e.ph == "X" and e.name.split(" ", 1)[0].rpartition(".")[2] in CAUSES]
    seconds, ends = 0.0, dict[int, float]()
    for event in sorted(named, key=lambda e: (e.ts, -e.dur)):
        if event.ts >= ends.get(event.tid, 0.0):
            seconds += event.dur / 1e6
            ends[event.tid] = event.ts + event.dur
    return seconds


def scalene(path: Path) -> float:
    """Lines of the program by their share of the elapsed time."""
    report = json.loads(path.read_text())
    share = 0.0
    for file in report["files"].values():
        for line in file["lines"]:
            if line["line"].lstrip().startswith(("import ", "from ")) or "ResNet50(" in line["line"]:
                share += line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]
    return float(share / 100 * report["elapsed_time_sec"])
