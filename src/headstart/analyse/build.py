"""From a recorded run to a report: each part is a pure function over the timeline."""

from __future__ import annotations

from typing import Any

from .._version import __version__
from ..record import signals as s
from ..record.nouns import Run, Span
from ..supported import tensorflow_trouble
from .functions import function_rows
from .imports import import_rows, library_rows
from .model import Analysis
from .nesting import other_threads
from .overhead import own_cost
from .report import (
    NO_STEPS,
    PHASES,
    SCHEMA,
    Epoch,
    Initializer,
    Memory,
    Phase,
    Report,
    Steps,
    Target,
)
from .report import Trend as ReportTrend
from .sampled import work_rows
from .stats import Steady, steady
from .steps import StepSeries
from .timeline import Timeline, build_timeline
from .undisturbed import queued_seconds

THINNED_TO = 4000
"""Step durations and memory values kept in a report; more cannot be seen in a picture."""


def analyse(run: Run) -> Analysis:
    """Everything that can be said about one process, except findings."""
    timeline = build_timeline(run)
    return Analysis(run, timeline, _report(run, timeline))


def _report(run: Run, timeline: Timeline) -> Report:
    spans, steps = timeline.spans, timeline.steps
    wall = run.wall_ns / 1e9
    first_end = steps.first_end_ns
    level = steady(steps.durations)
    return Report(
        schema=SCHEMA,
        headstart=__version__,
        target=_target(run),
        wall_seconds=wall,
        time_to_first_step=None if first_end is None else (first_end - run.header.start_ns) / 1e9,
        phases=_phases(timeline, wall),
        steps=_steps(steps, level),
        epochs=_epochs(spans),
        memory=_memory(run, steps),
        functions=function_rows(run, spans),
        imports=import_rows(spans),
        libraries=library_rows(spans),
        findings=[],
        overhead=own_cost(run),
        initializers=_initializers(spans),
        loads=[_load(run, span) for span in spans if span.kind in (s.LOAD, s.SAVE)],
        counts=_counts(run, spans),
        notes=_notes(run) + _step_notes(level),
        work=work_rows(run, timeline),
        environment={str(name): str(value) for name, value in run.facts.get("environment", {}).items()},
    )


def _target(run: Run) -> Target:
    end = run.exit or {}
    number = end.get("signal")
    status = end.get("status")
    code = None if run.exit is None else 128 + int(number) if number else int(status or 0)
    return Target(
        argv=run.header.argv,
        exit_code=code,
        python=run.header.python,
        tensorflow=run.facts.get("tensorflow"),
        keras=run.facts.get("keras"),
        signal=int(number) if number else None,
        warm=run.header.origin == "warm",
        cut=run.cut,
    )


def _phases(timeline: Timeline, wall: float) -> list[Phase]:
    """Every phase, also one that took no time: who reads a report need not ask whether it is there."""
    whole = timeline.phase_ns()
    first_end = timeline.steps.first_end_ns
    before = timeline.phase_ns(first_end) if first_end is not None else {}
    seconds = {name: whole.get(name, 0) / 1e9 for name in PHASES}
    return [
        Phase(name, taken, taken / wall if wall else 0.0, before.get(name, 0) / 1e9)
        for name, taken in seconds.items()
    ]


def _steps(series: StepSeries, found: Steady) -> Steps:
    durations = series.durations
    if not durations:
        return NO_STEPS
    trend = found.trend
    return Steps(
        count=len(durations),
        kind=series.kind,
        first_seconds=durations[0] * series.per_interval[0],
        steady_median_seconds=found.median,
        steady_ci95=found.ci95,
        warmup_steps=found.warmup_steps,
        trend=None
        if trend is None
        else ReportTrend(
            slope_seconds_per_step=trend.slope_seconds_per_step, p_value=trend.p_value, growing=trend.growing
        ),
        file=series.site[0] if series.site else None,
        line=series.site[1] if series.site else None,
        durations=thin(durations),
    )


def thin(values: list[Any], limit: int = THINNED_TO) -> list[Any]:
    """Every k-th value, the first always: enough for a picture."""
    stride = -(-len(values) // limit)
    return values if stride <= 1 else values[::stride]


def _epochs(spans: list[Span]) -> list[Epoch]:
    return [Epoch(number, span.seconds) for number, span in enumerate(x for x in spans if x.kind == s.EPOCH)]


def _memory(run: Run, steps: StepSeries) -> Memory:
    series = [(c.at_ns, c.values[s.RSS]) for c in run.counters if s.RSS in c.values]
    peak = max((value for _, value in series), default=0)
    peak = max(peak, int((run.exit or {}).get("maxrss_kb") or 0) * 1024)
    return Memory(
        rss_start=series[0][1] if series else None,
        rss_peak=peak or None,
        rss_per_step=_growth_per_step(series, steps),
        series=thin([((at - run.header.start_ns) / 1e9, value) for at, value in series], 1000),
    )


def _growth_per_step(series: list[tuple[int, int]], steps: StepSeries) -> float | None:
    """Bytes per step over the second half of the steps, where caches and pools have filled."""
    count = len(steps.intervals_ns)
    if count < 4:
        return None
    middle, last = steps.intervals_ns[count // 2], steps.intervals_ns[-1]
    early = [value for at, value in series if steps.intervals_ns[0][1] <= at <= middle[0]]
    at_middle = early[-1] if early else None
    late = [value for at, value in series if middle[0] < at <= last[1]]
    if at_middle is None or not late:
        return None
    return (late[-1] - at_middle) / (count - count // 2)


def _initializers(spans: list[Span]) -> list[Initializer]:
    groups: dict[tuple[str, Any], list[Span]] = {}
    for span in spans:
        if span.kind == s.VARIABLE_INIT:
            groups.setdefault((span.name, span.site[:2] if span.site else None), []).append(span)
    rows = [
        Initializer(
            name=name,
            seconds=sum(span.seconds for span in group),
            variables=len(group),
            bytes=sum(int(span.attrs.get("bytes") or 0) for span in group),
            file=site[0] if site else None,
            line=site[1] if site else None,
        )
        for (name, site), group in groups.items()
    ]
    rows.sort(key=lambda row: -row.seconds)
    return rows


def _load(run: Run, span: Span) -> dict[str, Any]:
    site = span.site
    return {
        "what": span.name,
        "path": span.attrs.get("path"),
        "bytes": span.attrs.get("bytes"),
        "seconds": span.seconds,
        "start": (span.start_ns - run.header.start_ns) / 1e9,
        "file": site[0] if site else None,
        "line": site[1] if site else None,
    }


def _counts(run: Run, spans: list[Span]) -> dict[str, int]:
    def number(kind: str) -> int:
        return sum(1 for span in spans if span.kind == kind)

    elsewhere = (span for thread in other_threads(run) for span in thread)
    traces = [span for span in (*spans, *elsewhere) if span.kind == s.TRACE]  # as `functions` has them
    counts = {
        "modules": sum(1 for span in spans if span.kind == s.IMPORT and not span.attrs.get("failed")),
        "extension_modules": sum(
            1 for span in spans if span.kind == s.NATIVE and span.attrs.get("step") == "create"
        ),
        "traces": len(traces),
        "traced_nodes": sum(int(span.attrs.get("nodes", 0)) for span in traces),
        "variables": number(s.VARIABLE_INIT),
    }
    for name in ("registered_ops", "registered_kernels"):
        if name in run.facts:
            counts[name] = int(run.facts[name])
    return counts


BUSY = "The machine was busy."
BUSY_SHARE = 0.1


def _notes(run: Run) -> list[str]:
    notes = []
    if run.cut:
        notes.append("The record ends before the program did: this is the ledger up to there.")
    if run.dropped_lines:
        notes.append(f"{run.dropped_lines} damaged line(s) of the record were left out.")
    tensorflow = run.facts.get("tensorflow")
    trouble = tensorflow_trouble(str(tensorflow)) if tensorflow else None
    if trouble:
        notes.append(trouble + ".")
    off = sorted({mark.name for mark in run.marks if mark.kind == s.PROBE_OFF})
    if off:
        notes.append("Probes that this version of the libraries does not fit: " + ", ".join(off) + ".")
    if any(mark.kind == "exec" for mark in run.marks):
        notes.append(
            "The program replaced itself by another (exec); what came after has a record of its own."
        )
    queued = queued_seconds(run)
    if queued >= BUSY_SHARE * run.wall_ns / 1e9:
        notes.append(
            f"{BUSY} For {queued:.1f} s of {run.wall_ns / 1e9:.1f} s the program stood in line for a processor. The "
            "ledger holds this time where it was lost; the findings leave it out."
        )
    return notes


def _step_notes(level: Steady) -> list[str]:
    if level.reached or level.median is None:
        return []
    return [
        "The steps were still settling when the run ended: the steady step is the median of their later half, "
        "a guess. More steps would tell."
    ]
