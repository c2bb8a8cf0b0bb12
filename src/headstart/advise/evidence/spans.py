"""Which span is inside which, answered quickly: spans of one thread nest."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from operator import attrgetter

from ...record.nouns import Span

_START = attrgetter("start_ns")


class Inside:
    """Finds the outermost span of a set that holds a moment."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans: list[Span] = []
        # There are thousands, and they come all but sorted: by their start alone that takes no time.
        for span in sorted(spans, key=_START):
            if not self.spans or span.start_ns >= self.spans[-1].end_ns:
                self.spans.append(span)
            elif span.start_ns == self.spans[-1].start_ns and span.end_ns > self.spans[-1].end_ns:
                self.spans[-1] = span
        self._starts = [span.start_ns for span in self.spans]

    def at(self, moment_ns: int) -> Span | None:
        index = bisect_right(self._starts, moment_ns) - 1
        if index >= 0 and moment_ns < self.spans[index].end_ns:
            return self.spans[index]
        return None

    def holds(self, span: Span) -> Span | None:
        around = self.at(span.start_ns)
        return around if around is not None and around is not span else None


def total_seconds(spans: Iterable[Span]) -> float:
    """The time that spans cover, nested ones once."""
    covered = until = 0
    for span in sorted(spans, key=_START):
        covered += max(0, span.end_ns - max(span.start_ns, until))
        until = max(until, span.end_ns)
    return covered / 1e9


def within(spans: Iterable[Span], start_ns: int, end_ns: int) -> list[Span]:
    return [span for span in spans if start_ns <= span.start_ns < end_ns]


def first_or_none(spans: Iterable[Span], wanted: Callable[[Span], bool]) -> Span | None:
    return next((span for span in spans if wanted(span)), None)
