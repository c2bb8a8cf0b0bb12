"""What the sampler saw: how long the main thread was at a line."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from ...analyse.model import Analysis
from ...record.nouns import Sample
from .spans import Inside

LONGEST_NS = 200_000_000
"""A sample stands for the time until the next one, but for no more than this."""


class Samples:
    """The samples of a run, each with the time that it stands for."""

    def __init__(self, run: Analysis) -> None:
        self.samples = run.run.samples
        self.times = [sample.at_ns for sample in self.samples]
        ends = [*self.times[1:], run.run.end_ns]
        self.weights = [min(b - a, LONGEST_NS) for a, b in zip(self.times, ends, strict=False)]

    def between(self, start_ns: int, end_ns: int) -> Iterator[tuple[Sample, int]]:
        low, high = bisect_left(self.times, start_ns), bisect_left(self.times, end_ns)
        yield from zip(self.samples[low:high], self.weights[low:high], strict=True)

    def at_line(self, file: str, line: int, outside: Inside) -> float:
        """Seconds in which the user's innermost line was this one, outside these spans."""
        return (
            sum(
                weight
                for sample, weight in zip(self.samples, self.weights, strict=True)
                if sample.line == line and sample.file == file and outside.at(sample.at_ns) is None
            )
            / 1e9
        )


@lru_cache(maxsize=4)
def samples(run: Analysis) -> Samples:
    return Samples(run)
