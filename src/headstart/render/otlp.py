"""The run as OpenTelemetry: spans and metrics in OTLP's JSON form (opentelemetry-proto, JSON mapping)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from ..analyse.report import Report
from ..record.nouns import Run
from .events import processes
from .json import sound

SHORTEST = 0.001
"""Spans below a millisecond stay at home: a collector is not a profiler, and bills by the span."""
MOST_SPANS = 5000


def traces(report: Report, runs: Sequence[Run]) -> bytes:
    """An ExportTraceServiceRequest: a root span per process, below it its threads' spans as they nested."""
    groups = []
    for run, process in zip(runs, processes(runs), strict=True):
        trace = (
            run.header.run if len(run.header.run) == 32 else hashlib.md5(run.header.run.encode()).hexdigest()
        )
        # Wall-clock time of the process's own start: the header noted both clocks at once.
        zero = run.header.unix_ns - (run.header.boot_ns - run.header.start_ns)
        root = _identity(trace, run.header.pid, 0)
        title = " ".join(report.target.argv) or "python"
        spans = [_span(trace, root, None, title, zero, 0.0, run.wall_ns / 1e9, _facts(report))]
        number = 0
        for lane in process.lanes:
            if lane.kind != "thread":
                continue
            parents: list[tuple[int, str]] = []
            for event in lane.events:
                while parents and parents[-1][0] >= event.depth:
                    parents.pop()
                if event.seconds < SHORTEST or len(spans) >= MOST_SPANS:
                    continue
                number += 1
                identity = _identity(trace, run.header.pid, number)
                facts = {"headstart.kind": event.kind, "thread.name": lane.title, **_prefixed(event.detail)}
                start = event.start - process.start
                parent = parents[-1][1] if parents else root
                spans.append(_span(trace, identity, parent, event.name, zero, start, event.seconds, facts))
                parents.append((event.depth, identity))
        groups.append(
            {"resource": _resource(report, run), "scopeSpans": [{"scope": _scope(report), "spans": spans}]}
        )
    return _encode({"resourceSpans": groups})


def metrics(report: Report, runs: Sequence[Run]) -> bytes:
    """An ExportMetricsServiceRequest of gauges."""
    at = str(runs[0].header.unix_ns + runs[0].wall_ns) if runs else "0"

    def gauge(name: str, unit: str, text: str, points: list[tuple[float, dict[str, Any]]]) -> dict[str, Any]:
        data = [
            {"timeUnixNano": at, "asDouble": value, "attributes": _attributes(facts)}
            for value, facts in points
        ]
        return {"name": f"headstart.{name}", "unit": unit, "description": text, "gauge": {"dataPoints": data}}

    steps = report.steps
    found = [
        gauge("wall", "s", "Length of the run", [(report.wall_seconds, {})]),
        gauge("phase", "s", "Time by phase", [(p.seconds, {"phase": p.id}) for p in report.phases]),
        gauge("overhead", "s", "headstart's own cost", [(report.overhead.seconds, {})]),
        gauge(
            "finding",
            "s",
            "Time lost by finding",
            [(f.seconds_lost, {"rule": f.rule, "slug": f.slug}) for f in report.findings],
        ),
    ]
    single = [
        ("time_to_first_step", "s", "From process start to the end of step 1", report.time_to_first_step),
        ("first_step", "s", "Length of step 1", steps.first_seconds),
        ("steady_step", "s", "Median of the steady steps", steps.steady_median_seconds),
        ("memory.peak", "By", "Largest resident size", report.memory.rss_peak),
    ]
    found += [gauge(name, unit, text, [(float(v), {})]) for name, unit, text, v in single if v is not None]
    found = [metric for metric in found if metric["gauge"]["dataPoints"]]
    resource = _resource(report, runs[0] if runs else None)
    scope = {"scope": _scope(report), "metrics": found}
    return _encode({"resourceMetrics": [{"resource": resource, "scopeMetrics": [scope]}]})


def _span(
    trace: str,
    identity: str,
    parent: str | None,
    name: str,
    zero: int,
    start: float,
    seconds: float,
    facts: dict[str, Any],
) -> dict[str, Any]:
    begin = zero + round(start * 1e9)
    span = {
        "traceId": trace,
        "spanId": identity,
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + round(seconds * 1e9)),
        "attributes": _attributes(facts),
    }
    return {**span, "parentSpanId": parent} if parent else span


def _identity(trace: str, pid: int, number: int) -> str:
    return hashlib.blake2b(f"{trace}/{pid}/{number}".encode(), digest_size=8).hexdigest()


def _facts(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = {f"headstart.phase.{p.id}": p.seconds for p in report.phases if p.seconds > 0}
    if report.time_to_first_step is not None:
        found["headstart.time_to_first_step"] = report.time_to_first_step
    if report.target.exit_code is not None:
        found["process.exit.code"] = report.target.exit_code
    return found


def _prefixed(detail: dict[str, Any]) -> dict[str, Any]:
    return {f"headstart.{key}": value for key, value in detail.items()}


def _resource(report: Report, run: Run | None) -> dict[str, Any]:
    target = report.target
    facts: dict[str, Any] = {
        "service.name": (target.argv[0].rpartition("/")[2] if target.argv else "python"),
        "process.command_args": " ".join(target.argv),
        "process.runtime.name": "cpython",
        "process.runtime.version": target.python,
    }
    facts |= {"tensorflow.version": target.tensorflow} if target.tensorflow else {}
    facts |= {"keras.version": target.keras} if target.keras else {}
    facts |= {"process.pid": run.header.pid} if run else {}
    return {"attributes": _attributes(facts)}


def _scope(report: Report) -> dict[str, Any]:
    return {"name": "headstart", "version": report.headstart}


def _attributes(facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in facts.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}


def _encode(content: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(content)
    except UnicodeEncodeError:
        return msgspec.json.encode(sound(content))
