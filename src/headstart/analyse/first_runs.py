"""Splits the first run of each graph into optimising it, compiling it and really running it.

The thread that calls a graph for the first time places, optimises and instantiates it itself; the kernels run
on other threads meanwhile. So the caller's own CPU time is the optimisation. What is left, beyond what later
runs of the same graph take, is XLA's compilation where the graph is compiled. A function that is itself compiled
is not optimised as a graph at all: the caller hands it to XLA, and may compile it on its own thread.
"""

from __future__ import annotations

from collections import defaultdict

from ..record import signals as s
from ..record.nouns import Span
from .stats import median

GRAPH_OPTIMIZATION = "graph-optimization"
XLA_COMPILE = "xla-compile"


def split_first_runs(spans: list[Span]) -> list[Span]:
    """Spans to add inside first runs: synthetic children of kinds GRAPH_OPTIMIZATION and XLA_COMPILE."""
    runs: dict[str, list[Span]] = defaultdict(list)
    owners: dict[str, Span] = {}
    for span in spans:
        if span.kind == s.EXECUTE:
            runs[span.name].append(span)
        elif span.kind == s.TRACE and "concrete" in span.attrs:
            owners[span.attrs["concrete"]] = span
    added: list[Span] = []
    for name, group in runs.items():
        ordinary, owner = _ordinary_ns(group), owners.get(name)
        for span in group:
            if span.attrs.get("first") or _recompiled(span, ordinary, owner):
                added.extend(_execute(span, ordinary, owner))
    added.extend(_sessions(spans))
    return added


COMPILE_FLOOR_NS = 80_000_000
"""A compiled function's run that takes this much longer than its ordinary ones was compiled again."""
NEW_SHAPES_FLOOR_NS = 10_000_000
"""The same where it is compiled as a whole and its inputs have shapes that it never had: XLA compiles then, for sure, and
needs no less for anything. A function that calls a compiled one may have padded them."""


def _ordinary_ns(runs: list[Span]) -> int:
    """What a run takes when nothing is optimised or compiled in it; 0 when there was no such run."""
    plain = [
        r.end_ns - r.start_ns for r in runs if not r.attrs.get("first") and not r.attrs.get("new_shapes")
    ]
    if not plain:
        return 0
    # Where shapes cannot be seen (data that the graph itself fetches), fast runs tell what is ordinary.
    return int(median(plain)) if not runs[0].attrs.get("jit") else min(plain)


def _recompiled(span: Span, ordinary: int, owner: Span | None) -> bool:
    if not span.attrs.get("jit"):
        return False
    extra = span.end_ns - span.start_ns - ordinary
    if span.attrs.get("new_shapes"):
        return extra > (NEW_SHAPES_FLOOR_NS if _is_compiled(owner) else COMPILE_FLOOR_NS)
    return extra > COMPILE_FLOOR_NS and extra > 4 * ordinary


def _is_compiled(owner: Span | None) -> bool:
    """As a whole, not only in parts."""
    return owner is not None and bool(owner.attrs.get("jit"))


def _execute(span: Span, ordinary: int, owner: Span | None) -> list[Span]:
    wall = span.end_ns - span.start_ns
    cpu = 0 if _is_compiled(owner) else min(int(span.attrs.get("cpu", 0)), wall)
    attrs = _attribution(owner)
    parts = []
    if cpu:
        parts.append(Span(span.start_ns, span.start_ns + cpu, span.tid, GRAPH_OPTIMIZATION, span.name, attrs))
    if span.attrs.get("jit"):
        compile_ns = wall - cpu - ordinary
        if compile_ns > 0:
            begin = span.start_ns + cpu
            parts.append(Span(begin, begin + compile_ns, span.tid, XLA_COMPILE, span.name, attrs))
    return parts


def _attribution(owner: Span | None) -> dict[str, object]:
    if owner is None:
        return {}
    keys = ("fn", "code", "file", "line", "site")
    return {"function": owner.name, **{key: owner.attrs[key] for key in keys if key in owner.attrs}}


def _sessions(spans: list[Span]) -> list[Span]:
    """A session optimises the part of its graph that a new request needs, on the calling thread."""
    runs = [span for span in spans if span.kind == s.SESSION_RUN]
    repeated = [int(run.attrs.get("cpu", 0)) for run in runs if not run.attrs.get("first")]
    ordinary = int(median(repeated)) if repeated else 0
    parts = []
    for run in runs:
        if run.attrs.get("first") or run.attrs.get("added", 0) > 0:
            extra = min(int(run.attrs.get("cpu", 0)) - ordinary, run.end_ns - run.start_ns)
            if extra > 0:
                attrs = {key: run.attrs[key] for key in ("site",) if key in run.attrs}
                parts.append(
                    Span(run.start_ns, run.start_ns + extra, run.tid, GRAPH_OPTIMIZATION, run.name, attrs)
                )
    return parts
