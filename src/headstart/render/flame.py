"""Flame graphs as nested bars: imports by what imported what, and trace work by function and source line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..analyse.report import Event, Function, Report
from ..record import signals as s
from ..record.nouns import Run
from .source import place

SMALLEST = 0.0004
"""Bars below this share of the whole are left out: no screen shows them."""


class Bar(NamedTuple):
    name: str
    kind: str
    start: float
    seconds: float
    depth: int
    detail: dict[str, object]


def imports(runs: Sequence[Run]) -> list[Bar]:
    """Import and library spans of the main thread, pushed together so that only importing takes up room."""
    if not runs:
        return []
    run = runs[0]
    wanted = [x for x in run.spans if x.kind in (s.IMPORT, s.NATIVE) and x.tid == run.header.main_tid]
    wanted.sort(key=lambda span: (span.start_ns, -span.end_ns))
    total = 0
    bars: list[tuple[Bar, int]] = []
    stack: list[tuple[int, int]] = []  # where each open bar ends, and what it lost by being clipped
    shift = edge = 0
    for span in wanted:
        while stack and stack[-1][0] <= span.start_ns:
            stack.pop()
        if not stack:
            shift += span.start_ns - edge
            edge = span.end_ns
            total += span.end_ns - span.start_ns
        end = min(span.end_ns, stack[-1][0]) if stack else span.end_ns
        if end > span.start_ns:
            detail: dict[str, object] = {}
            if span.site:
                detail["site"] = place(span.site[0], span.site[1])
            name = span.name.rpartition("/")[2] if span.kind == s.NATIVE else span.name
            seconds = (end - span.start_ns) / 1e9
            bars.append(
                (Bar(name, span.kind, (span.start_ns - shift) / 1e9, seconds, len(stack), detail), end)
            )
            stack.append((end, 0))
    least = SMALLEST * total / 1e9
    return [bar for bar, _ in bars if bar.seconds >= least]


def traces(report: Report) -> list[Bar]:
    """Each function's tracing, optimising and compiling; its tracing split by the lines that made its nodes."""
    functions = [f for f in report.functions if _cost(f) > 0]
    functions.sort(key=lambda f: -_cost(f))
    total = sum(map(_cost, functions))
    bars: list[Bar] = []
    at = 0.0
    for function in functions:
        if _cost(function) < SMALLEST * total:
            continue
        bars += _function(function, at)
        at += _cost(function)
    return bars


def _function(function: Function, at: float) -> Iterator[Bar]:
    detail: dict[str, object] = {
        "site": place(function.file, function.line),
        "traces": function.traces,
        "nodes": function.nodes,
    }
    yield Bar(function.name, s.TRACE, at, _cost(function), 0, detail)
    parts = [
        ("tracing", s.TRACE, function.trace_seconds),
        ("graph optimization", s.EXECUTE, function.optimize_seconds),
        ("XLA compile", "xla-compile", function.compile_seconds),
    ]
    for name, kind, seconds in parts:
        if seconds <= 0:
            continue
        yield Bar(name, kind, at, seconds, 1, {})
        if kind == s.TRACE:
            yield from _lines(function, at)
        at += seconds


def _lines(function: Function, at: float) -> Iterator[Bar]:
    """By nodes: what a line adds to the graph is what its tracing, its gradient and its optimising cost."""
    whole = max(function.nodes, sum(nodes for *_, nodes in function.lines), 1)
    for file, line, nodes in function.lines:
        seconds = function.trace_seconds * nodes / whole
        yield Bar(place(file, line), "line", at, seconds, 2, {"nodes": nodes, "site": place(file, line)})
        at += seconds


def _cost(function: Function) -> float:
    return function.trace_seconds + function.optimize_seconds + function.compile_seconds


def as_events(bars: Sequence[Bar]) -> list[Event]:
    return [Event("flame", b.name, b.kind, None, b.start, b.seconds, b.depth, dict(b.detail)) for b in bars]
