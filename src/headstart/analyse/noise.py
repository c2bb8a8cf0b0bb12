"""How much two sets of runs of the very same program would differ, told by the runs themselves.

The spread of ten values says little about their spread: an error estimated from one phase alone is now and then
half of what it should be, and that phase then raises an alarm, or twice, and hides a change. But the noise is the
machine's, much the same relative to each phase, so all phases are asked together (the idea of moderated tests: G. K.
Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004). A phase that is clearly noisier than the others has its own noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .resample import FEWEST_RUNS, Effect, effect, fast_mean, holm, relabelled_p, student

BEYOND = 2.8
"""A difference is told from this many standard errors on, with ten runs a side. Some ten quantities are looked at in
each comparison, on every commit, so this is stricter than the usual 2."""
BEYOND_TOTAL = 3.3
"""Totals are what gates look at: a false alarm there costs more than one more day until a change is seen."""
CALIBRATED_RUNS = 10
BY_CHANCE = 0.002
"""Dealing the runs out to two sides by chance may part them as far at most this often. An error that was estimated from
the same ten runs is now and then far too small; this asks for none."""
NOISIER = 1.5
"""A phase whose own error is larger than that of all by this factor is judged by its own."""


class Pair:
    """One quantity in every run of each side."""

    def __init__(self, name: str, old: list[float], new: list[float]) -> None:
        self.name, self.old, self.new = name, old, new
        self.size = max(fast_mean(old), fast_mean(new))
        self._effect: Effect | None = None

    def divided(self, speeds: Sequence[float] | None) -> Pair:
        """The same with each run's values divided by how fast the machine was in it; as it is where unknown."""
        if speeds is None:
            return self
        values = [value / speed for value, speed in zip((*self.old, *self.new), speeds, strict=True)]
        return Pair(self.name, values[: len(self.old)], values[len(self.old) :])

    @property
    def runs(self) -> int:
        return min(len(self.old), len(self.new))

    @property
    def effect(self) -> Effect:
        if self._effect is None:
            self._effect = effect(self.old, self.new, location=fast_mean)
        assert self._effect is not None, "too few runs"
        return self._effect

    @property
    def apart(self) -> bool:
        """Whether chance alone hardly deals the runs out like this; few runs can do no more than not overlap at all."""
        if max(self.old) < min(self.new) or max(self.new) < min(self.old):
            return True
        return relabelled_p(self.old, self.new, location=fast_mean) <= BY_CHANCE

    @property
    def relative_error(self) -> float:
        return self.effect.error / self.size


class Noise:
    def __init__(self, phases: Sequence[Pair], floor: float) -> None:
        errors = [p.relative_error for p in phases if p.runs >= FEWEST_RUNS and p.size >= floor]
        self.typical = sum(errors) / len(errors) if errors else 0.0

    def error_of(self, pair: Pair) -> float:
        own = pair.relative_error
        return pair.size * (own if own > NOISIER * self.typical else self.typical)

    def is_beyond(self, pair: Pair, errors: float = BEYOND) -> bool:
        """Whether the difference is too large to be noise. Fewer runs know their own noise less well."""
        few, many = (2 * min(count, CALIBRATED_RUNS) - 4 for count in (pair.runs, CALIBRATED_RUNS))
        limit = errors * student(BEYOND, few) / student(BEYOND, many)
        return abs(pair.effect.difference.estimate) > limit * self.error_of(pair) and pair.apart

    def p_values(self, pairs: Sequence[Pair]) -> dict[str, float]:
        """Of "no difference", by name; adjusted for how many were looked at."""
        raw = []
        for pair in pairs:
            gap, error = abs(pair.effect.difference.estimate), self.error_of(pair)
            raw.append(math.erfc(gap / error / math.sqrt(2)) if error > 0 else float(gap == 0))
        return dict(zip((pair.name for pair in pairs), holm(raw), strict=True))
