"""Do the steady steps get slower? Mann-Kendall test and Theil-Sen slope, in plain Python.

The test is Mann's (Econometrica 13, 1945) with Kendall's tie correction and the variance of Hamed & Rao
(J. Hydrology 204, 1998), because neighbouring steps resemble each other and the plain test then finds trends
in mere drift. The slope is Theil's (1950) and Sen's (JASA 63, 1968) median of pairwise slopes with Sen's
interval. A significant slope is not yet a growing program: see `_grows`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .report import Trend

FEWEST_STEPS = 12
MOST_BLOCKS = 160
"""Pairs are quadratic: longer runs are cut into this many blocks, each seen by its median."""
SIGNIFICANT = 0.01
MATERIAL = 0.50
"""Growth over the steady steps, as a share of the first block's level, that is worth an alarm."""
MATERIAL_AT_LEAST = 0.25
"""… and what it must exceed with 95 % confidence."""
EACH_QUARTER = 0.08
"""A leak grows all the time; a neighbour that starts to use the machine makes one jump. Each quarter of the
run must therefore be slower than the one before, by at least this share of the whole growth, and a line must
describe the run better than any single jump does."""
BEYOND_NEIGHBOURS = 3.0
"""From the first quarter to the last, growth that no neighbour makes. A neighbour that comes or goes may still
hide that it is even; then it is enough that it rises before and after the greatest jump."""


class Slope(NamedTuple):
    """Change per item, its 95 % interval and the two-sided p-value of "no trend"."""

    per_item: float
    low: float
    high: float
    p_value: float


def find_trend(durations: Sequence[float]) -> Trend | None:
    """The trend of steady steps; None when there are too few to say."""
    if len(durations) < FEWEST_STEPS:
        return None
    blocks, size = block_medians(durations)
    slope = theil_sen(blocks)
    return Trend(
        slope_seconds_per_step=slope.per_item / size,
        p_value=slope.p_value,
        growing=_grows(blocks, slope),
    )


def material_slope(values: Sequence[float]) -> float:
    """The slope per item where it is a significant and even rise, else 0."""
    if len(values) < FEWEST_STEPS:
        return 0.0
    blocks, size = block_medians(values)
    slope = theil_sen(blocks)
    return slope.per_item / size if _is_rise(slope) and _goes_on(blocks) else 0.0


def block_medians(values: Sequence[float]) -> tuple[list[float], int]:
    """At most MOST_BLOCKS medians of equal blocks in order, and how many values each stands for."""
    size = -(-len(values) // MOST_BLOCKS)
    if size == 1:
        return list(values), 1
    whole = len(values) // size * size
    middle = size // 2
    return [sorted(values[start : start + size])[middle] for start in range(0, whole, size)], size


def theil_sen(values: Sequence[float]) -> Slope:
    """Slope and test over equally spaced values. O(n² log n): give it block medians."""
    count = len(values)
    slopes: list[float] = []
    score = 0
    for i in range(count - 1):
        first = values[i]
        for j in range(i + 1, count):
            rise = values[j] - first
            score += (rise > 0) - (rise < 0)
            slopes.append(rise / (j - i))
    slopes.sort()
    middle = len(slopes) // 2
    slope = slopes[middle] if len(slopes) % 2 else (slopes[middle - 1] + slopes[middle]) / 2
    deviation = math.sqrt(_variance(values, slope))
    if deviation <= 0.0:
        return Slope(slope, slope, slope, 1.0)
    z = (abs(score) - 1) / deviation if score else 0.0
    reach = 1.959964 * deviation
    low = slopes[max(0, int((len(slopes) - reach) / 2))]
    high = slopes[min(len(slopes) - 1, int((len(slopes) + reach) / 2) + 1)]
    return Slope(slope, low, high, math.erfc(max(z, 0.0) / math.sqrt(2)))


def _variance(values: Sequence[float], slope: float) -> float:
    """Variance of the Mann-Kendall score: tie-corrected, then inflated for autocorrelation."""
    count = len(values)
    ties: dict[float, int] = {}
    for value in values:
        ties[value] = ties.get(value, 0) + 1
    variance = count * (count - 1) * (2 * count + 5)
    variance -= sum(t * (t - 1) * (2 * t + 5) for t in ties.values() if t > 1)
    return variance / 18 * _inflation([value - slope * index for index, value in enumerate(values)])


def _inflation(residuals: Sequence[float]) -> float:
    """Hamed and Rao's factor from the autocorrelation of the detrended ranks; never below 1."""
    count = len(residuals)
    grain = 1e-9 * max(map(abs, residuals)) or 1.0  # what is left of a perfect line is rounding, not memory
    ranks = _centred_ranks([round(residual / grain) for residual in residuals])
    total = sum(rank * rank for rank in ranks)
    if total == 0.0:
        return 1.0
    limit = 1.959964 / math.sqrt(count)
    inflation = 0.0
    for lag in range(1, count // 4 + 1):
        rho = sum(a * b for a, b in zip(ranks, ranks[lag:], strict=False)) / total
        if rho > limit:
            inflation += (count - lag) * (count - lag - 1) * (count - lag - 2) * rho
    return 1 + 2 * inflation / (count * (count - 1) * (count - 2))


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """Ranks around 0; equal values share the mean of theirs."""
    count = len(values)
    order = sorted(range(count), key=values.__getitem__)
    ranks = [0.0] * count
    start = 0
    while start < count:
        stop = start + 1
        while stop < count and values[order[stop]] == values[order[start]]:
            stop += 1
        for place in range(start, stop):
            ranks[order[place]] = (start + stop - count) / 2
        start = stop
    return ranks


def _grows(blocks: Sequence[float], slope: Slope) -> bool:
    """Significant, material with confidence, and going on all the time."""
    span = len(blocks) - 1
    early = sorted(blocks[: max(3, len(blocks) // 4)])
    level = early[len(early) // 2]
    return (
        _is_rise(slope)
        and slope.per_item * span > MATERIAL * level
        and slope.low * span > MATERIAL_AT_LEAST * level
        and _goes_on(blocks)
    )


def _is_rise(slope: Slope) -> bool:
    return slope.p_value < SIGNIFICANT and slope.low > 0


def _goes_on(blocks: Sequence[float]) -> bool:
    """Whether it is growth from beginning to end, and not one change of level."""
    edges = [len(blocks) * part // 4 for part in range(5)]
    parts = [sorted(blocks[a:b]) for a, b in pairwise(edges)]
    levels = [part[len(part) // 2] for part in parts]
    growth = levels[-1] - levels[0]
    even = growth > 0 and all(b - a > EACH_QUARTER * growth for a, b in pairwise(levels))
    line_is_better, jump = _line_or_jump(blocks)
    if even and line_is_better:
        return True
    sides = blocks[:jump], blocks[jump:]
    long_enough = min(map(len, sides)) >= FEWEST_STEPS
    beyond = levels[-1] > BEYOND_NEIGHBOURS * levels[0]
    return beyond and long_enough and all(_is_rise(theil_sen(side)) for side in sides)


def _line_or_jump(blocks: Sequence[float]) -> tuple[bool, int]:
    """Whether a straight line explains more of the ranks than the best step function; where that one steps."""
    ranks = _centred_ranks(blocks)
    count = len(ranks)
    middle = (count - 1) / 2
    product = sum((index - middle) * rank for index, rank in enumerate(ranks))
    by_line = product * product / (count * (count * count - 1) / 12)
    by_jump, before, jump = 0.0, 0.0, 0
    for size in range(1, count):
        before += ranks[size - 1]
        explained = before * before / size + before * before / (count - size)
        if explained > by_jump:
            by_jump, jump = explained, size
    return by_line > by_jump, jump
