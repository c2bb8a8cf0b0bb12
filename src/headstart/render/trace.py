"""The run as a Chrome trace (JSON object format), which Perfetto and chrome://tracing load.

Process and thread names are metadata events, spans are complete events on the thread that they happened on,
steps and the phases have lanes of their own, memory and graph sizes are counters. Times are microseconds
since the start of the first process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ..analyse.report import Report
from ..record.nouns import Run, Span
from .words import phase_label

STEP_KINDS = ("batch", "session-run", "step")
PHASE_LANE = 1_000_000_000
STEP_LANE = PHASE_LANE + 1
"""Numbers of made-up threads: above any real one, so that the lanes cannot mix."""


def render(report: Report, run: Run | Sequence[Run]) -> bytes:
    """JSON that Perfetto opens."""
    runs = [run] if isinstance(run, Run) else list(run)
    origin = min((one.header.start_ns for one in runs), default=0)
    events: list[dict[str, Any]] = []
    for one in runs:
        events += _process(one, origin)
    if runs:
        events += _ledger(report, runs[0].header.pid)
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


def _process(run: Run, origin: int) -> Iterable[dict[str, Any]]:
    header = run.header
    pid = header.pid
    name = " ".join(header.argv) or header.executable
    rank = f" (rank {header.rank})" if header.rank is not None else ""
    yield _meta(pid, 0, "process_name", {"name": name + rank})
    spans = [*run.spans, *run.open_spans]
    for tid in sorted({span.tid for span in spans} | {header.main_tid}):
        title = "main thread" if tid == header.main_tid else f"thread {tid}"
        yield _meta(pid, tid, "thread_name", {"name": title})
        yield _meta(pid, tid, "thread_sort_index", {"sort_index": 0 if tid == header.main_tid else 1})
    for span in spans:
        yield _complete(span, pid, span.tid, origin)
    steps = [span for span in spans if span.kind in STEP_KINDS]
    if steps:
        yield _meta(pid, STEP_LANE, "thread_name", {"name": "steps"})
        yield _meta(pid, STEP_LANE, "thread_sort_index", {"sort_index": -1})
    for number, span in enumerate(sorted(steps, key=lambda span: span.start_ns), 1):
        event = _complete(span, pid, STEP_LANE, origin)
        yield {**event, "name": f"step {number}"}
    for mark in run.marks:
        yield {
            "ph": "i",
            "s": "t",
            "pid": pid,
            "tid": mark.tid,
            "ts": (mark.at_ns - origin) / 1e3,
            "cat": mark.kind,
            "name": mark.name or mark.kind,
            "args": mark.attrs,
        }
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


def _complete(span: Span, pid: int, tid: int, origin: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "pid": pid,
        "tid": tid,
        "ts": (span.start_ns - origin) / 1e3,
        "dur": (span.end_ns - span.start_ns) / 1e3,
        "cat": span.kind,
        "name": span.name or span.kind,
        "args": span.attrs,
    }


def _ledger(report: Report, pid: int) -> Iterable[dict[str, Any]]:
    """The phases that own each moment of the main thread, where the report carries them."""
    owners = [event for event in getattr(report, "events", ()) if event.lane == "phases"]
    if not owners:
        return
    yield _meta(pid, PHASE_LANE, "thread_name", {"name": "phases"})
    yield _meta(pid, PHASE_LANE, "thread_sort_index", {"sort_index": -2})
    for event in owners:
        yield {
            "ph": "X",
            "pid": pid,
            "tid": PHASE_LANE,
            "ts": event.start * 1e6,
            "dur": event.seconds * 1e6,
            "cat": "phase",
            "name": phase_label(event.phase or event.name),
            "args": {"phase": event.phase},
        }


def _meta(pid: int, tid: int, name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "pid": pid, "tid": tid, "name": name, "args": args}
