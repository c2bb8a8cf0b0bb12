"""The run as a Chrome trace (JSON object format), which Perfetto and chrome://tracing load.

Process and thread names are metadata events, spans are complete events on the thread that they happened on,
steps and the phases have lanes of their own, memory and graph sizes are counters. Times are microseconds
since the start of the first process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ..analyse.report import Report
from ..record.nouns import Mark, Run
from .events import Lane, Process, processes
from .words import phase_label

PHASE_LANE = 1_000_000_000
STEP_LANE = PHASE_LANE + 1
OTHER_THREADS = PHASE_LANE + 2
"""Numbers of made-up threads, above any real one, so that lanes cannot mix. Python's own thread numbers are
addresses, which do not fit the 32 bits that Perfetto has for them."""


def render(report: Report, run: Run | Sequence[Run]) -> bytes:
    """JSON that Perfetto opens."""
    runs = [run] if isinstance(run, Run) else list(run)
    origin = min((one.header.start_ns for one in runs), default=0)
    events: list[dict[str, Any]] = []
    for one, process in zip(runs, processes(runs, most=10**9), strict=True):
        events += _process(one, process, origin)
    head = {
        "displayTimeUnit": "ms",
        "otherData": {"headstart": report.headstart, "argv": " ".join(report.target.argv)},
        "traceEvents": events,
    }
    try:
        return msgspec.json.encode(head)
    except UnicodeEncodeError:
        from .json import sound

        return msgspec.json.encode(sound(head))


def _process(run: Run, process: Process, origin: int) -> Iterator[dict[str, Any]]:
    pid = process.pid
    yield _meta(pid, 0, "process_name", {"name": process.title})
    numbers = {run.header.main_tid: pid}
    for lane in process.lanes:
        tid = _number(lane, numbers)
        yield _meta(pid, tid, "thread_name", {"name": lane.title})
        order = {"phases": -2, "steps": -1}.get(lane.kind, 0 if tid == pid else 1)
        yield _meta(pid, tid, "thread_sort_index", {"sort_index": order})
        for event in lane.events:
            yield {
                "ph": "X",
                "pid": pid,
                "tid": tid,
                "ts": round(event.start * 1e6, 3),
                "dur": round(event.seconds * 1e6, 3),
                "cat": event.kind,
                "name": phase_label(event.name) if lane.kind == "phases" else event.name,
                "args": event.detail,
            }
    for mark in run.marks:
        yield _instant(mark, pid, numbers.get(mark.tid, pid), origin)
    for reading in run.counters:
        for counter, value in reading.values.items():
            yield {
                "ph": "C",
                "pid": pid,
                "tid": 0,
                "ts": (reading.at_ns - origin) / 1e3,
                "name": counter,
                "args": {counter: value},
            }


def _number(lane: Lane, numbers: dict[int, int]) -> int:
    if lane.kind == "phases":
        return PHASE_LANE
    if lane.kind == "steps":
        return STEP_LANE
    return numbers.setdefault(lane.tid, OTHER_THREADS + len(numbers))


def _instant(mark: Mark, pid: int, tid: int, origin: int) -> dict[str, Any]:
    return {
        "ph": "i",
        "s": "t",
        "pid": pid,
        "tid": tid,
        "ts": (mark.at_ns - origin) / 1e3,
        "cat": mark.kind,
        "name": mark.name or mark.kind,
        "args": mark.attrs,
    }


def _meta(pid: int, tid: int, name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "pid": pid, "tid": tid, "name": name, "args": args}
