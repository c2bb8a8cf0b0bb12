"""Keras models in a run: which one a span is about, although object numbers are used again."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from functools import lru_cache

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Mark, Span
from .spans import Inside
from .tracing import Traced, groups


class Models:
    """Every model that was made, in order."""

    def __init__(self, run: Analysis) -> None:
        self.marks = run.marks(s.MODEL_CREATED)
        self._by_id: dict[int, list[Mark]] = defaultdict(list)
        for mark in self.marks:
            self._by_id[mark.attrs.get("model", 0)].append(mark)

    def of(self, number: int | None, at_ns: int) -> int:
        """A key that is unique to one model: the moment when the object with this number was made."""
        marks = self._by_id.get(number or 0, [])
        index = bisect_right([mark.at_ns for mark in marks], at_ns) - 1
        return marks[index].at_ns if index >= 0 else -(number or 0)


@lru_cache(maxsize=4)
def models(run: Analysis) -> Models:
    return Models(run)


def model_of(run: Analysis, span: Span) -> int:
    return models(run).of(span.attrs.get("model"), span.start_ns)


def keras_traces(run: Analysis) -> list[tuple[Traced, Span]]:
    """Traces inside Keras loops and single-batch calls, each with that loop."""
    loops = Inside(run.spans(s.FIT))
    found = []
    for group in groups(run):
        for traced in group.traces:
            loop = loops.holds(traced.trace)
            if loop is not None:
                found.append((traced, loop))
    return sorted(found, key=lambda pair: pair[0].trace.start_ns)


def batches_in(run: Analysis) -> dict[int, int]:
    """How many batches each Keras loop had, by the loop's start."""
    loops = Inside(run.spans(s.FIT))
    counts: dict[int, int] = defaultdict(int)
    for batch in run.spans(s.BATCH):
        loop = loops.holds(batch)
        if loop is not None:
            counts[loop.start_ns] += int(batch.attrs.get("steps", 1))
    return counts
