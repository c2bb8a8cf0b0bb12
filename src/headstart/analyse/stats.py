"""Statistics of step times, in plain Python: they run between the program's end and headstart's exit.

Steady state is found with MSER (K. P. White, "An effective truncation heuristic for bias reduction in
simulation output", Simulation 69(6), 1997; compared with its rivals in White, Cobb & Spratt, WSC 2000, and
Hoad, Robinson & Davies, WSC 2008, which found it the most dependable of the automatic methods): cut off the
first `d` observations for which the squared standard error of the mean of the rest is smallest. It has no
parameter to tune, is O(n), and needs no model of the noise. Three things make it fit step times:

* it sees the logarithm of each time, because noise on a machine multiplies;
* the values are winsorised around the later half, because one descheduled step is 100 times slower and would
  otherwise decide alone where warm-up ends (MSER's known weakness);
* the cut moves back over steps that are not slow, so that one hiccup at step 9 is not "9 steps of warm-up".

Intervals are distribution-free: step times are skewed and have heavy tails.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .report import Trend
from .trend import find_trend, material_slope

CLIP_FAST = 2.0
CLIP_SLOW = 4.0
"""Winsorising bounds, in robust standard deviations. Lopsided: warm-up is slowness, and a run that was
quicker while the machine was idle has not "warmed up" later."""
SLOW = 3.0
"""From this many robust standard deviations on, a step counts as slow."""
SPREAD_FLOOR = 0.02
"""Times that differ by less than 2 % are alike, however quiet the rest of the run is."""
FEWEST_TO_JUDGE = 6
"""With fewer steps only the first is called warm-up, and no interval can reach 95 %."""


class Steady(NamedTuple):
    """What the steps after warm-up look like."""

    warmup_steps: int
    median: float | None
    ci95: tuple[float, float] | None
    trend: Trend | None
    reached: bool
    """False when the slow steps last for half of the run or longer: what follows may not be steady."""


def median(values: Sequence[float]) -> float:
    """The middle value; the mean of the two middle ones for an even count."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def robust_spread(values: Sequence[float], centre: float) -> float:
    """Median absolute deviation, scaled to the standard deviation of a normal distribution."""
    return 1.4826 * median([abs(value - centre) for value in values])


def steady(durations: Sequence[float]) -> Steady:
    """Find warm-up, then describe the rest. `durations` are all steps in order, the first one included."""
    count = len(durations)
    if count < 2:
        return Steady(count, None, None, None, False)
    if count < FEWEST_TO_JUDGE:
        return Steady(1, median(durations[1:]), None, None, True)
    scores = _scores(durations)
    warmup, reached = _warmup(scores)
    kept = durations[warmup:]
    # Steps so alike their neighbours that they are worth fewer than six: the whole range is the best answer.
    effective = max(effective_count(scores[warmup:]), FEWEST_TO_JUDGE)
    return Steady(warmup, median(kept), median_interval(kept, effective), find_trend(kept), reached)


def _scores(durations: Sequence[float]) -> list[float]:
    """Each step's distance from the later half, in robust standard deviations of logarithms, winsorised."""
    logs = [math.log(max(value, 1e-9)) for value in durations]
    half = logs[len(logs) // 2 :]
    # A program that slows down has no level to warm up to: judge its steps around the rising line instead.
    slope = material_slope(half)
    if slope:
        logs = [value - slope * index for index, value in enumerate(logs)]
        half = logs[len(logs) // 2 :]
    centre = median(half)
    spread = max(robust_spread(half, centre), SPREAD_FLOOR)
    return [min(max((value - centre) / spread, -CLIP_FAST), CLIP_SLOW) for value in logs]


def _warmup(scores: Sequence[float]) -> tuple[int, bool]:
    """How many steps to leave out, and whether a steady state follows."""
    cut = _move_back(scores, _mser(scores))
    kept = scores[cut:]
    if 4 * sum(score >= SLOW for score in kept) <= len(kept):
        return cut, True
    # The slow steps go on for too long for any cut to pay. The later half is the best guess there is.
    return len(scores) // 2, False


def _mser(scores: Sequence[float]) -> int:
    """The truncation point with the smallest squared standard error, at most half of the run."""
    count = len(scores)
    total = sum(scores)
    squares = sum(value * value for value in scores)
    best, best_error = 0, math.inf
    for cut in range(count // 2 + 1):
        left = count - cut
        error = (squares - total * total / left) / (left * left)
        # Strictly smaller by more than rounding, so that a flat series keeps all of its steps.
        if error < best_error - 1e-12:
            best, best_error = cut, error
        total -= scores[cut]
        squares -= scores[cut] * scores[cut]
    return best


def _move_back(scores: Sequence[float], cut: int) -> int:
    """The earliest step that is not slow and after which, up to the cut, at most a quarter of them is."""
    earliest, slow = cut, 0
    for index in range(cut - 1, -1, -1):
        if scores[index] >= SLOW:
            slow += 1
        elif slow <= (cut - index) / 4:
            earliest = index
    return earliest


def effective_count(scores: Sequence[float]) -> int:
    """How many independent steps these are worth, from their lag-1 autocorrelation (AR(1) approximation)."""
    count = len(scores)
    mean = sum(scores) / count
    centred = [value - mean for value in scores]
    variance = sum(value * value for value in centred)
    if variance <= 0.0:
        return count
    lag1 = sum(a * b for a, b in pairwise(centred)) / variance
    lag1 = min(max(lag1, 0.0), 0.95)
    return max(1, int(count * (1 - lag1) / (1 + lag1)))


def median_interval(values: Sequence[float], effective: int | None = None) -> tuple[float, float] | None:
    """A 95 % interval of the median from order statistics (the sign test's inverse; Conover 1999, 3.2).

    It assumes no distribution. With `effective` < len(values) the ranks are spread as far apart as that many
    independent values would need. None when even the whole range covers less than 95 %.
    """
    count = len(values)
    size = min(effective or count, count)
    rank = _sign_rank(size)
    if rank == 0:
        return None
    low = int(count * (rank - 1) / size)
    ordered = sorted(values)
    return ordered[low], ordered[count - 1 - low]


def _sign_rank(size: int) -> int:
    """The largest r with P(Binomial(size, 1/2) < r) <= 2.5 %, 0 when there is none."""
    if size > 500:
        return int((size - 1.959964 * math.sqrt(size)) / 2)
    probability = 0.5**size
    cumulative, rank = 0.0, 0
    for below in range(size):
        cumulative += probability
        if cumulative > 0.025:
            break
        rank = below + 1
        probability *= (size - below) / (below + 1)
    return rank
