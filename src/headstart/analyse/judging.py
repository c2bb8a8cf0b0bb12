"""Which differences are told: those that are large enough to matter and too large to be noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from .changes import TOLD, Change
from .noise import BEYOND, BEYOND_TOTAL, Noise, Pair
from .parts import LEAST_OF_PHASE, Part
from .resample import FEWEST_RUNS, fast_mean

LEAST_CHANGE = 0.03
LEAST_CHANGE_PART = 0.06
"""A total that changes by less than 3 % is the same, however certain that is; a part by less than 6 %."""


def judged(
    group: str,
    pairs: Sequence[Pair],
    worth_it: Callable[[Pair], bool],
    noise: Noise,
    used: Callable[[Pair], Pair] = lambda pair: pair,
) -> list[Change]:
    """Test those worth it; describe all of them."""
    enough = bool(pairs) and min(len(pairs[0].old), len(pairs[0].new)) >= FEWEST_RUNS
    tested = {pair.name: used(pair) for pair in pairs if enough and worth_it(pair)}
    p_values = noise.p_values(list(tested.values()))
    errors = BEYOND_TOTAL if group == "total" else BEYOND
    rest = "same" if enough else "unknown"
    changes = []
    for pair in pairs:
        test = tested.get(pair.name)
        if test is None:
            changes.append(change_of(group, pair, verdict=rest))
        else:
            beyond = noise.is_beyond(test, errors)
            changes.append(change_of(group, pair, test, p_values[pair.name], beyond))
    return changes


def change_of(
    group: str,
    pair: Pair,
    test: Pair | None = None,
    p_value: float | None = None,
    beyond: bool = False,
    verdict: str = "same",
) -> Change:
    first, second = fast_mean(pair.old), fast_mean(pair.new)
    least = LEAST_CHANGE if group == "total" else LEAST_CHANGE_PART
    found = test.effect if test else None
    if found is not None and beyond:
        gap = found.difference
        if gap.excludes(0.0) and abs(gap.estimate) >= least * first:
            verdict = "slower" if gap.estimate > 0 else "faster"
    factor = found.ratio if found else None
    return Change(
        group=group,
        name=pair.name,
        before=first,
        after=second,
        difference=found.difference.estimate if found else second - first,
        difference_ci95=(found.difference.low, found.difference.high) if found else None,
        ratio=factor.estimate if factor else second / first if first > 0 else None,
        ratio_ci95=(factor.low, factor.high) if factor else None,
        p_value=p_value,
        verdict=verdict,
        adjusted=test is not None and test is not pair,
    )


def with_parts(phase: Change, parts: Sequence[Part]) -> Change:
    """A phase with what has changed in it; told by that, where it goes the same way and is most of the difference."""
    own = [part for part in parts if part.phase == phase.name]
    if not own or phase.p_value is None:
        return phase
    by = [part.pair.name for part in own]
    gaps = [part.pair.effect.difference for part in own]
    gap = sum(each.estimate for each in gaps)
    low, high = sum(each.low for each in gaps), sum(each.high for each in gaps)
    material = (low > 0 or high < 0) and abs(gap) >= LEAST_OF_PHASE * phase.before > 0
    if phase.verdict in TOLD or not material or (phase.after - phase.before) / gap < 0.5:
        return msgspec.structs.replace(phase, by=by)
    return msgspec.structs.replace(
        phase,
        by=by,
        verdict="slower" if gap > 0 else "faster",
        difference=gap,
        difference_ci95=(low, high),
        ratio=1 + gap / phase.before,
        ratio_ci95=(1 + low / phase.before, 1 + high / phase.before),
        p_value=min(part.p_value for part in own),
        adjusted=False,
    )


def exceeds(change: Change, limit: float, relative: bool) -> bool:
    """Whether it grew past the limit beyond doubt: the whole interval lies above it."""
    if relative:
        return change.ratio_ci95 is not None and change.ratio_ci95[0] > 1 + limit
    return change.difference_ci95 is not None and change.difference_ci95[0] > limit
