"""Loops that run operation by operation: how much of their time is Python."""

from __future__ import annotations

import ast

from ...analyse.model import Analysis
from ...record import signals as s
from .places import Place, source_of
from .spans import Inside

GRAPH_KEEPS = 0.1
"""The part of an eager step that is left when it runs as a graph, where nothing is known to be computing."""


def elsewhere(run: Analysis, *but: str) -> Inside:
    """Spans in which time is not that of eager operations; `but` leaves kinds out."""
    kinds = (s.CALL, s.FIT, s.NEXT, s.SESSION_RUN, s.IMPORT, s.TRACE, s.LOAD, s.SAVE, s.EXTERNAL, s.ITERATOR)
    more = (s.MODEL_BUILD, s.VARIABLE_INIT, s.OPTIMIZER_BUILD, s.DATASET, s.COMPILE)
    return Inside(run.spans(*(kind for kind in (*kinds, *more) if kind not in but)))


def saved_as_graph(run: Analysis, start_ns: int, end_ns: int, outside: Inside) -> tuple[float, float]:
    """(seconds that a graph would save, the share of the main thread's work that is dispatching) in a stretch.

    Operations that compute much share their work with the runtime's threads; dispatching small ones keeps the
    main thread busy alone. So what the other threads did is computing, on the main thread as much again, and the
    rest of the main thread's time is what a graph does away with. CPU time, since a busy machine makes
    everything take longer, and no graph mends that.
    """
    covered = sum(
        max(0, min(x.end_ns, end_ns) - max(x.start_ns, start_ns))
        for x in outside.spans
        if x.start_ns < end_ns and x.end_ns > start_ns
    )
    eager = end_ns - start_ns - covered
    if eager <= 0:
        return 0.0, 0.0
    whole, main = _cpu(run, start_ns, end_ns)
    if not main:
        return eager * (1 - GRAPH_KEEPS) / 1e9, 1.0
    alone = max(0, 2 * main - whole) * eager / (end_ns - start_ns)
    saved = min(alone, eager) * (1 - GRAPH_KEEPS)
    return saved / 1e9, max(0, 2 * main - whole) / main


def _cpu(run: Analysis, start_ns: int, end_ns: int) -> tuple[int, int]:
    """CPU nanoseconds of the whole process and of the main thread in a stretch of time; (0, 0) when unknown."""
    inside = [c for c in run.run.counters if start_ns <= c.at_ns <= end_ns and s.CPU in c.values]
    if len(inside) < 3:
        return 0, 0
    first, last = inside[0], inside[-1]
    # The counters are read ten times a second: stretch what they saw to the whole.
    scale = (end_ns - start_ns) / (last.at_ns - first.at_ns)
    whole = last.values[s.CPU] - first.values[s.CPU]
    main = last.values[s.CPU_MAIN] - first.values[s.CPU_MAIN]
    return int(whole * scale), int(main * scale)


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
