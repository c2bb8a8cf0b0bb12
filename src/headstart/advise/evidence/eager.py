"""Loops that run operation by operation: how much of their time is Python."""

from __future__ import annotations

import ast
from collections import Counter

from ...analyse.model import Analysis
from ...record import signals as s
from .places import Place, source_of
from .samples import samples
from .spans import Inside

RUNTIME_SAVED = 0.3
"""The part of the runtime's own time that is dispatch, and goes with the Python around it."""


def elsewhere(run: Analysis, *but: str) -> Inside:
    """Spans in which time is not that of eager operations; `but` leaves kinds out."""
    kinds = (s.CALL, s.FIT, s.NEXT, s.SESSION_RUN, s.IMPORT, s.TRACE, s.LOAD, s.SAVE, s.EXTERNAL, s.ITERATOR)
    more = (s.MODEL_BUILD, s.VARIABLE_INIT, s.OPTIMIZER_BUILD, s.DATASET, s.COMPILE)
    return Inside(run.spans(*(kind for kind in (*kinds, *more) if kind not in but)))


def saved_as_graph(run: Analysis, start_ns: int, end_ns: int, outside: Inside) -> tuple[float, float]:
    """(seconds that a graph would save, share of Python) of the eager operations in a stretch of time."""
    python, runtime = samples(run).eager(start_ns, end_ns, outside)
    total = python + runtime
    return python + RUNTIME_SAVED * runtime, python / total if total else 0.0


def caller_in_loop(file: str, line: int, function: str) -> Place:
    """The line of the loop that calls the function around a line; the line itself when there is none."""
    source = source_of(file)
    if source is None or function in ("<module>", ""):
        return file, line
    for call in source.calls:
        named = call.func
        name = (
            named.id
            if isinstance(named, ast.Name)
            else named.attr
            if isinstance(named, ast.Attribute)
            else None
        )
        if name == function and source.loops(call):
            return file, call.lineno
    return file, line


def busiest_line(run: Analysis, start_ns: int, end_ns: int, outside: Inside) -> tuple[Place, str] | None:
    """The user's line (and its function) at which most eager time was spent."""
    counts: Counter[tuple[str, int, str]] = Counter()
    for sample, weight in samples(run).between(start_ns, end_ns):
        if sample.file and outside.at(sample.at_ns) is None and sample.flags & 1:
            counts[(sample.file, sample.line, sample.function)] += weight
    if not counts:
        return None
    (file, line, function), _ = counts.most_common(1)[0]
    return (file, line), function
