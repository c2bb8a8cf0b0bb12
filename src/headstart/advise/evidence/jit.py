"""XLA compilations: which calls waited for them, and where the user switched XLA on."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Interval
from .spans import Inside


def calls_of(run: Analysis, compilations: Sequence[Span]) -> tuple[int, tuple[Interval, ...]]:
    """(nanoseconds lost, intervals): what the calls that compiled took beyond those that did not."""
    calls = Inside(run.spans(s.CALL, s.FIT))
    waiting = {id(call): call for c in compilations if (call := calls.holds(c)) is not None}
    if not waiting:
        return sum(c.end_ns - c.start_ns for c in compilations), tuple(
            (c.start_ns, c.end_ns) for c in compilations
        )
    # A whole `fit` is one span: then only the compilations themselves, and what was traced for them, are lost.
    if any(call.kind == s.FIT and call.name in ("fit", "evaluate", "predict") for call in waiting.values()):
        inner = Inside(run.spans(s.CALL))
        waiting = {id(call): call for c in compilations if (call := inner.holds(c)) is not None}
    durations = [call.end_ns - call.start_ns for call in waiting.values()]
    names = {call.name for call in waiting.values()}
    others = [
        call.end_ns - call.start_ns for call in calls.spans if call.name in names and id(call) not in waiting
    ]
    ordinary = int(median(others)) if len(others) > 2 else 0
    lost = sum(max(0, duration - ordinary) for duration in durations)
    return lost, tuple((call.start_ns, call.end_ns) for call in waiting.values())


def switched_on_at(run: Analysis, compilation: Span, prefer_call: bool) -> tuple[str | None, int | None]:
    """Keras' `compile(jit_compile=True)` line; else the compiled function's call, or where it is defined."""
    loops = Inside(run.spans(s.FIT))
    loop = loops.holds(compilation)
    if loop is not None:
        compiles = [
            c for c in run.spans(s.COMPILE) if c.attrs.get("jit") is True and c.start_ns < loop.start_ns
        ]
        same = [c for c in compiles if c.attrs.get("model") == loop.attrs.get("model")] or compiles
        if same and same[-1].site:
            return same[-1].site[0], same[-1].site[1]
        return (loop.site[0], loop.site[1]) if loop.site else (None, None)
    site = compilation.site
    defined = compilation.attrs.get("file"), compilation.attrs.get("line")
    if prefer_call and site:
        return site[0], site[1]
    return defined if defined[0] else (site[0], site[1]) if site else (None, None)
