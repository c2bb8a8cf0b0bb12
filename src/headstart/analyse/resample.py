"""Bootstrap intervals and a permutation test for small sets of runs, seeded, in plain Python.

Times of whole processes are located by the mean of their faster half (`fast_mean`): what disturbs a process only
ever adds time, and does so in bursts, so that the slower half tells of the machine, not of the program. Other
quantities are located by the 20 % trimmed mean: one bad value does not move it, and the percentile bootstrap of
a trimmed mean keeps its coverage with ten runs a side, where that of a median, which can only take a handful of
values, does not (R. Wilcox, Introduction to Robust Estimation and Hypothesis Testing, 2012, 5.4). The bootstrap
is Efron's (Ann. Statist. 7, 1979), with the percentiles moved outwards for small sets as in T. Hesterberg, "What
Teachers Should Know About the Bootstrap", American Statistician 69,
2015 ("expanded percentile"): plain percentiles of five runs cover 95 % only in name.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from statistics import NormalDist, pstdev
from typing import NamedTuple

RESAMPLES = 1000
RELABELLED = 5000
TRIM = 0.2
FEWEST_RUNS = 4
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


def fast_mean(values: Sequence[float]) -> float:
    """Mean of the faster half, the middle one included."""
    ordered = sorted(values)
    kept = ordered[: (len(ordered) + 1) // 2]
    return sum(kept) / len(kept)


Location = Callable[[Sequence[float]], float]


class Effect(NamedTuple):
    """How location(after) relates to location(before)."""

    difference: Interval
    ratio: Interval | None
    """None where `before` may be 0."""
    error: float
    """The bootstrap's standard error of the difference."""


def effect(
    before: Sequence[float],
    after: Sequence[float],
    *,
    location: Location = trimmed_mean,
    confidence: float = 0.95,
    seed: int = 0,
) -> Effect | None:
    """Bootstrap intervals of difference and ratio; None with too few runs."""
    if min(len(before), len(after)) < FEWEST_RUNS:
        return None
    rng = random.Random(seed)
    draws = [
        (location(rng.choices(before, k=len(before))), location(rng.choices(after, k=len(after))))
        for _ in range(RESAMPLES)
    ]
    first, second = location(before), location(after)
    tail = int(RESAMPLES * _tail(min(len(before), len(after)), confidence))
    factor = None
    if min(before) > 0.0:
        factor = _interval(second / first, [b / a for a, b in draws], tail)
    differences = [b - a for a, b in draws]
    return Effect(_interval(second - first, differences, tail), factor, pstdev(differences))


def location_interval(
    values: Sequence[float],
    *,
    location: Location = trimmed_mean,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Bootstrap interval of one set's location; None with too few runs."""
    if len(values) < FEWEST_RUNS:
        return None
    rng = random.Random(seed)
    draws = [location(rng.choices(values, k=len(values))) for _ in range(RESAMPLES)]
    found = _interval(location(values), draws, int(RESAMPLES * _tail(len(values), confidence)))
    return found.low, found.high


def _interval(estimate: float, draws: list[float], tail: int) -> Interval:
    draws.sort()
    return Interval(estimate, min(draws[tail], estimate), max(draws[-1 - tail], estimate))


def _tail(count: int, confidence: float) -> float:
    """The share of resamples to leave out on each side: what Student's t says, moved to the normal scale."""
    normal = NormalDist()
    t = student(normal.inv_cdf((1 + confidence) / 2), count - 1)
    return normal.cdf(-t * math.sqrt(count / (count - 1)))


def student(z: float, free: int) -> float:
    """Student's quantile that belongs to the normal one (Cornish-Fisher; Abramowitz & Stegun 26.7.5)."""
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)


def relabelled_p(
    before: Sequence[float], after: Sequence[float], *, location: Location = trimmed_mean, seed: int = 0
) -> float:
    """How often runs that are dealt out to two sides by chance have locations as far apart as these.

    The permutation test of R. A. Fisher and E. J. G. Pitman (J. R. Stat. Soc. Suppl. 4, 1937), by resampling: right
    whatever the noise is like, as long as it is the same on both sides.
    """
    rng = random.Random(seed)
    pool, cut = [*before, *after], len(before)
    gap = abs(location(after) - location(before)) * (1 - 1e-9)
    farther = 0
    for _ in range(RELABELLED):
        rng.shuffle(pool)
        farther += abs(location(pool[cut:]) - location(pool[:cut])) >= gap
    return (farther + 1) / (RELABELLED + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (Scand. J. Statist. 6, 1979): the more is looked at, the likelier is luck."""
    count = len(p_values)
    adjusted = [1.0] * count
    running = 0.0
    for rank, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        running = max(running, (count - rank) * p_values[index])
        adjusted[index] = min(1.0, running)
    return adjusted
