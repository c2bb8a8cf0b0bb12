"""Bootstrap intervals and a permutation test for small sets of runs, seeded, in plain Python.

The location of a set of runs is its 20 % trimmed mean: one run on a busy machine does not move it, and the
percentile bootstrap of a trimmed mean keeps its coverage with ten runs a side, where that of a median, which
can only take a handful of values, does not (R. Wilcox, Introduction to Robust Estimation and Hypothesis
Testing, 2012, 5.4). The bootstrap is Efron's (Ann. Statist. 7, 1979). Runs are the unit: phases of one run
share its luck, so runs are resampled whole by giving every quantity the same seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

RESAMPLES = 2000
TRIM = 0.2
FEWEST_RUNS = 3
"""With fewer runs a side the resamples are all but the data itself, and an interval would be a fiction."""


class Interval(NamedTuple):
    """An estimate and the bounds that it has with the stated confidence."""

    estimate: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        return self.low > value or self.high < value


def trimmed_mean(values: Sequence[float]) -> float:
    """Mean of the middle three fifths (of all values when there are fewer than five)."""
    ordered = sorted(values)
    cut = int(len(ordered) * TRIM)
    kept = ordered[cut : len(ordered) - cut]
    return sum(kept) / len(kept)


def difference(
    before: Sequence[float], after: Sequence[float], *, confidence: float = 0.95, seed: int = 0
) -> Interval | None:
    """Interval of location(after) - location(before); None with too few runs."""
    return _bootstrap(before, after, lambda a, b: b - a, confidence, seed)


def ratio(
    before: Sequence[float], after: Sequence[float], *, confidence: float = 0.95, seed: int = 0
) -> Interval | None:
    """Interval of location(after) / location(before); None with too few runs or where `before` may be 0."""
    if min(before, default=0.0) <= 0.0:
        return None
    return _bootstrap(before, after, lambda a, b: b / a, confidence, seed)


def _bootstrap(
    before: Sequence[float],
    after: Sequence[float],
    combine: Callable[[float, float], float],
    confidence: float,
    seed: int,
) -> Interval | None:
    if min(len(before), len(after)) < FEWEST_RUNS:
        return None
    rng = random.Random(seed)
    draws = sorted(
        combine(
            trimmed_mean(rng.choices(before, k=len(before))), trimmed_mean(rng.choices(after, k=len(after)))
        )
        for _ in range(RESAMPLES)
    )
    tail = int(RESAMPLES * (1 - confidence) / 2)
    estimate = combine(trimmed_mean(before), trimmed_mean(after))
    return Interval(estimate, min(draws[tail], estimate), max(draws[RESAMPLES - 1 - tail], estimate))


def permutation_p(
    before: Sequence[float], after: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> float:
    """Two-sided p-value of "the labels do not matter" (Fisher's randomisation test on trimmed means).

    The +1 keeps it valid when the permutations are drawn and not enumerated (Phipson & Smyth 2010).
    """
    pool = [*before, *after]
    size = len(before)
    seen = abs(trimmed_mean(after) - trimmed_mean(before))
    rng = random.Random(seed)
    as_large = 0
    for _ in range(resamples):
        rng.shuffle(pool)
        gap = abs(trimmed_mean(pool[size:]) - trimmed_mean(pool[:size]))
        as_large += gap >= seen * (1 - 1e-12)
    return (as_large + 1) / (resamples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (Scand. J. Statist. 6, 1979): the more is looked at, the likelier is luck."""
    count = len(p_values)
    adjusted = [1.0] * count
    running = 0.0
    for rank, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        running = max(running, (count - rank) * p_values[index])
        adjusted[index] = min(1.0, running)
    return adjusted
