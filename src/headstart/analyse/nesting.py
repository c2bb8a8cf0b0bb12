"""Turns the main thread's spans into a sequence of moments, each with the spans that were open in it.

Spans of one thread nest; where a record is cut or a span was closed late, children are clipped to their
parents, so that the result always covers the run exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from ..record.nouns import Run, Span

_START, _END = attrgetter("start_ns"), attrgetter("end_ns")


class Moment(NamedTuple):
    """A stretch of time in which the set of open spans does not change."""

    start_ns: int
    end_ns: int
    open: tuple[Span, ...]
    """From the outermost to the innermost; empty where no probe was active."""


def main_spans(run: Run) -> list[Span]:
    """The main thread's spans in nesting order: by start, the longer first."""
    tid = run.header.main_tid
    spans = [span for span in run.spans if span.tid == tid]
    spans.extend(run.open_spans)
    return in_nesting_order(spans)


def other_threads(run: Run) -> list[list[Span]]:
    """The spans of each thread but the main one, in nesting order."""
    threads: dict[int, list[Span]] = {}
    for span in run.spans:
        if span.tid != run.header.main_tid:
            threads.setdefault(span.tid, []).append(span)
    return [in_nesting_order(spans) for spans in threads.values()]


def in_nesting_order(spans: list[Span]) -> list[Span]:
    """By start, the longer first; two sorts by one number each, which keep the order of equals, are much faster than
    one by two."""
    spans.sort(key=_END, reverse=True)
    spans.sort(key=_START)
    return spans


def moments(spans: list[Span], start_ns: int, end_ns: int) -> Iterator[Moment]:
    """Cut [start, end] at every start and end of a span. `spans` are in nesting order."""
    at = start_ns
    # Each open span's end, clipped to its parent's, and the spans open just outside it.
    stack: list[tuple[int, tuple[Span, ...]]] = []
    chain: tuple[Span, ...] = ()
    for span in spans:
        start = min(max(span.start_ns, start_ns), end_ns)
        while stack and stack[-1][0] <= start:
            until, outside = stack.pop()
            if until > at:
                yield Moment(at, until, chain)
                at = until
            chain = outside
        if start > at:
            yield Moment(at, start, chain)
            at = start
        end = min(max(span.end_ns, start), stack[-1][0] if stack else end_ns)
        if end > start:
            stack.append((end, chain))
            chain = (*chain, span)
    while stack:
        until, outside = stack.pop()
        if until > at:
            yield Moment(at, until, chain)
            at = until
        chain = outside
    if end_ns > at:
        yield Moment(at, end_ns, chain)
