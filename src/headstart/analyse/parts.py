"""What the phases of two sets of runs consist of: modules, native libraries, and what was seen going on. A change is
often in one of them, and stands out there when its phase as a whole is too noisy to tell.

Of some thousand modules only those are asked whose difference is large for the whole phase: noise makes few of them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from .noise import Noise, Pair
from .report import Report
from .resample import FEWEST_RUNS, fast_mean

BEYOND_PART = 4.0
"""Standard errors from which on the difference of one part is told."""
LEAST_OF_PHASE = 0.06
LEAST_SECONDS = 0.01
"""A part is asked when it differs by so much of its phase, and by so much."""


def _modules(report: Report) -> dict[str, float]:
    return _summed((row.module, row.self_seconds) for row in report.imports)


def _libraries(report: Report) -> dict[str, float]:
    return _summed((os.path.basename(row.path), row.seconds) for row in report.libraries)


def _summed(rows: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, seconds in rows:
        found[name] = found.get(name, 0.0) + seconds
    return found


def _seen_in(phase: str) -> Callable[[Report], dict[str, float]]:
    return lambda report: _summed((row.name, row.seconds) for row in report.work if row.phase == phase)


SAMPLED = (
    "tracing",
    "model-build",
    "variable-init",
    "optimizer-setup",
    "weight-loading",
    "user-code",
    "eager-ops",
)
"""Phases that consist of the program's functions and what they call, as the sampler saw it."""
PARTS: Mapping[str, tuple[str, Callable[[Report], dict[str, float]]]] = {
    "imports": ("module", _modules),
    "native-libraries": ("library", _libraries),
    **{phase: ("work", _seen_in(phase)) for phase in SAMPLED},
}
"""Phase → what its parts are called, and their seconds in a run."""


class Part(NamedTuple):
    """A part that has changed beyond doubt."""

    phase: str
    pair: Pair
    p_value: float

    @property
    def kind(self) -> str:
        return PARTS[self.phase][0]


def changed(
    before: Sequence[Report], after: Sequence[Report], phases: Sequence[Pair], noise: Noise
) -> list[Part]:
    """The largest difference first."""
    if min(len(before), len(after)) < FEWEST_RUNS:
        return []
    found = []
    for phase in phases:
        if phase.name in PARTS:
            own = _changed_in(before, after, phase, noise)
            if phase.name not in SAMPLED or _moves_with(phase, own):
                found += own
    return sorted(found, key=lambda part: -abs(part.pair.effect.difference.estimate))


def _changed_in(before: Sequence[Report], after: Sequence[Report], phase: Pair, noise: Noise) -> list[Part]:
    asked = _asked(before, after, phase)
    least = _sampling_error((*before, *after), phase)
    found = []
    for pair in asked:
        errors = _errors(pair, noise, least)
        if errors > BEYOND_PART and pair.effect.difference.excludes(0.0) and pair.apart:
            found.append(Part(phase.name, pair, min(1.0, math.erfc(errors / math.sqrt(2)) * len(asked))))
    return found


def _moves_with(phase: Pair, parts: Sequence[Part]) -> bool:
    """Whether the phase has become longer or shorter with them. A function that has got another name is one that went
    and one that came, and nothing has changed."""
    gaps = [part.pair.effect.difference.estimate for part in parts]
    gap = sum(gaps)
    if abs(gap) < 0.5 * sum(map(abs, gaps)) or not gap:
        return False
    return (fast_mean(phase.new) - fast_mean(phase.old)) / gap >= 0.5


def _asked(before: Sequence[Report], after: Sequence[Report], phase: Pair) -> list[Pair]:
    read = PARTS[phase.name][1]
    old, new = ([read(report) for report in side] for side in (before, after))
    least = max(LEAST_SECONDS, LEAST_OF_PHASE * phase.size)
    pairs = []
    for name in sorted({name for run in (*old, *new) for name, seconds in run.items() if seconds >= least}):
        values = [[run.get(name, 0.0) for run in side] for side in (old, new)]
        if abs(fast_mean(values[1]) - fast_mean(values[0])) >= least:
            pairs.append(Pair(name, *values))
    return pairs


def _errors(pair: Pair, noise: Noise, least: float) -> float:
    """The difference in standard errors: its own, or what the machine's noise makes of that size, if that is more."""
    error = max(pair.effect.error, noise.typical * pair.size, least)
    return abs(pair.effect.difference.estimate) / error if error > 0 else math.inf


def _sampling_error(reports: Sequence[Report], phase: Pair) -> float:
    """Of a difference between two sides: a stretch is seen one time more or less often, by chance."""
    rows = [row for report in reports for row in report.work if row.phase == phase.name]
    if phase.name not in SAMPLED or not rows:
        return 0.0
    between_looks = sum(row.seconds for row in rows) / sum(row.looks for row in rows)
    return between_looks / math.sqrt(12) * math.sqrt(2 / ((phase.runs + 1) // 2))
