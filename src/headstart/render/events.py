"""The bars of a picture: lanes of phases, steps and threads, from the runs behind a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..analyse.report import Event
from ..analyse.timeline import LedgerError, Segment, Timeline, build_timeline
from ..record import signals as s
from ..record.nouns import Run, Span

MOST_EVENTS = 200_000
"""More than a screen can show at any zoom that people use; the shortest spans are left out first."""
HIDDEN = ("step-body",)


class Lane(NamedTuple):
    """One thread, or one made-up track, of one process."""

    process: int
    title: str
    kind: str
    """"phases" | "steps" | "thread"."""
    tid: int
    events: list[Event]


class Process(NamedTuple):
    title: str
    pid: int
    start: float
    """Seconds since the start of the first process."""
    lanes: list[Lane]


def processes(runs: Sequence[Run], most: int = MOST_EVENTS) -> list[Process]:
    """Every process with its lanes; times count from the start of the earliest."""
    origin = min((run.header.start_ns for run in runs), default=0)
    shortest = _cutoff(runs, most)
    return [_process(number, run, origin, shortest) for number, run in enumerate(runs)]


def _cutoff(runs: Sequence[Run], most: int) -> int:
    """How long a span must be to be shown, 0 when all fit."""
    lengths = [span.end_ns - span.start_ns for run in runs for span in run.spans]
    if len(lengths) <= most:
        return 0
    lengths.sort(reverse=True)
    return lengths[most]


def _process(number: int, run: Run, origin: int, shortest: int) -> Process:
    header = run.header
    rank = f"rank {header.rank}: " if header.rank is not None else ""
    title = rank + (" ".join(header.argv) or header.executable)
    lanes: list[Lane] = []
    try:
        timeline: Timeline | None = build_timeline(run)
    except LedgerError:  # said once already, where the report is made; a picture can do without
        timeline = None
    by_thread: dict[int, list[Span]] = {}
    if timeline is not None:
        lanes.append(Lane(number, "phases", "phases", 0, list(_phases(timeline.segments, origin))))
        steps = list(_steps(timeline, origin))
        if steps:
            lanes.append(Lane(number, "steps", "steps", 0, steps))
        by_thread[header.main_tid] = [span for span in timeline.spans if span.kind not in HIDDEN]
    else:
        by_thread[header.main_tid] = []
    for span in run.spans:
        if span.tid != header.main_tid or timeline is None:
            by_thread.setdefault(span.tid, []).append(span)
    others = 0
    for tid, spans in by_thread.items():
        main = tid == header.main_tid
        others += not main
        title_of = "main thread" if main else f"thread {others}"
        kept = [span for span in spans if span.end_ns - span.start_ns >= shortest]
        lanes.append(Lane(number, title_of, "thread", tid, list(nested(kept, origin, title_of))))
    return Process(title, header.pid, (header.start_ns - origin) / 1e9, lanes)


def _phases(segments: Sequence[Segment], origin: int) -> Iterator[Event]:
    """Neighbours with the same owner become one bar."""
    start = end = 0
    phase = ""
    for segment in segments:
        if segment.phase == phase:
            end = segment.end_ns
            continue
        if phase:
            yield Event("phases", phase, "phase", phase, (start - origin) / 1e9, (end - start) / 1e9, 0)
        start, end, phase = segment.start_ns, segment.end_ns, segment.phase
    if phase:
        yield Event("phases", phase, "phase", phase, (start - origin) / 1e9, (end - start) / 1e9, 0)


def _steps(timeline: Timeline, origin: int) -> Iterator[Event]:
    for number, (start, end) in enumerate(timeline.steps.intervals_ns, 1):
        name = f"step {number}"
        yield Event("steps", name, "step", None, (start - origin) / 1e9, (end - start) / 1e9, 0)


def nested(spans: Sequence[Span], origin: int, lane: str) -> Iterator[Event]:
    """Spans of one thread with their depth; in order of start."""
    ends: list[int] = []
    for span in sorted(spans, key=lambda span: (span.start_ns, -span.end_ns)):
        while ends and ends[-1] <= span.start_ns:
            ends.pop()
        yield Event(
            lane,
            _label(span),
            span.kind,
            None,
            (span.start_ns - origin) / 1e9,
            (span.end_ns - span.start_ns) / 1e9,
            len(ends),
            _detail(span.attrs),
        )
        ends.append(span.end_ns)


_VERBS = {s.TRACE: "trace", s.CALL: "call", s.EXECUTE: "execute", s.VARIABLE_INIT: "init"}


def _label(span: Span) -> str:
    """What a bar says: kinds whose names are alike (a call, its trace, its execution) are told apart."""
    if span.kind in _VERBS:
        return f"{_VERBS[span.kind]} {span.name}"
    if span.kind == s.EPOCH:
        return f"epoch {int(span.name) + 1}" if span.name.isdigit() else "epoch"
    if span.kind == s.BATCH:
        return f"{span.name} batch"
    if span.kind == s.NATIVE:
        return span.name.rpartition("/")[2]
    return span.name or span.kind


def _detail(attrs: dict[str, Any]) -> dict[str, Any]:
    """What a reader can use of a span's attributes, as short texts."""
    found: dict[str, Any] = {}
    for key, value in attrs.items():
        if key == "site" and isinstance(value, (list, tuple)) and len(value) >= 2:
            found["site"] = f"{value[0]}:{value[1]}"
        elif isinstance(value, (str, int, float, bool)):
            found[key] = value[:300] if isinstance(value, str) else value
    return found
