"""XLA compilations: which calls waited for them, and where the user switched XLA on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Interval
from .spans import Inside


def first_runs_under_xla(run: Analysis) -> dict[str, list[tuple[Span, int]]]:
    """By code: each run that had to be compiled first, with the nanoseconds beyond an ordinary run.

    The spans carry what is known of the traced function, so that its name and line can be told.
    """
    owners = {t.attrs["concrete"]: t for t in run.spans(s.TRACE) if "concrete" in t.attrs}
    runs: dict[str, list[Span]] = defaultdict(list)
    for span in run.spans(s.EXECUTE):
        if span.attrs.get("jit"):
            runs[span.name].append(span)
    found: dict[str, list[tuple[Span, int]]] = defaultdict(list)
    for name, spans in runs.items():
        plain = [
            x.end_ns - x.start_ns for x in spans if not x.attrs.get("first") and not x.attrs.get("new_shapes")
        ]
        ordinary = int(median(plain)) if plain else 0
        owner = owners.get(name)
        known: dict[str, Any] = {}
        if owner is not None:
            known = {k: owner.attrs[k] for k in ("file", "line", "site", "code") if k in owner.attrs}
        for span in spans:
            if span.attrs.get("first") or span.attrs.get("new_shapes"):
                attrs = {**span.attrs, **known, "function": owner.name if owner else name}
                told = Span(span.start_ns, span.end_ns, span.tid, span.kind, span.name, attrs)
                extra = max(0, span.end_ns - span.start_ns - ordinary)
                found[str(known.get("code", name))].append((told, extra))
    return dict(found)


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
