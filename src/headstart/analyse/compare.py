"""Two sets of runs: what differs, by how much, and whether that can be told from noise.

Times are located by the mean of the faster half of the runs: what disturbs a program only ever adds time. A
difference is told when it is several times as large as the noise, large enough to matter, and its bootstrap
interval excludes "no change". The noise of ten runs is itself hard to know, so it is taken from all phases
together, and a phase's own is used only where that is clearly larger; and chance alone must hardly ever deal the runs
out like this, which needs no estimate of an error. A gate that cries wolf gets switched off.

A whole run may be fast or slow with its machine, which hides a change in one part of it. Where dividing each run's
parts by how fast the machine was in that run, as the other phases tell, makes the noise smaller, parts are compared
so; totals never. Functions are looked at only where the phases that they make up have changed. Modules, libraries and
what the sampler saw are looked at in any case, and a phase whose noise hides what one of them shows has changed with it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from .changes import TOLD, Change, Comparison
from .fairness import all_alike, side, warnings
from .judging import change_of, judged, with_parts
from .locations import STEADY_STEP, TOTALS
from .noise import Noise, Pair
from .parts import changed
from .report import Function, Report
from .resample import fast_mean
from .speed import Speeds, phase_seconds

FUNCTION_PHASES = {"tracing", "graph-optimization", "xla-compile"}
LEAST_SECONDS = 0.05
LEAST_SHARE = 0.01
"""A quantity below 50 ms or below 1 % of the run, on both sides, is not tested: nothing depends on it. Of a steady step
all of the run's steps together are meant."""
CLEARLY = 0.8
"""Dividing by the speed of the machine must lower the noise to this share of it, or it is not done."""


def compare(
    before: Sequence[Report], after: Sequence[Report], labels: tuple[str, str] = ("A", "B")
) -> Comparison:
    """Compare two sets of reports; each must hold at least one."""
    floor = _floor(before, after)
    pairs = _phases(before, after)
    noise = Noise(pairs, floor)
    parts = _Parts(pairs, noise, Speeds([*before, *after], floor), floor)
    within = changed(before, after, pairs, noise)
    steps = max(report.steps.count for report in (*before, *after))

    def large_enough(pair: Pair) -> bool:
        return pair.size >= floor

    def total_worth_it(pair: Pair) -> bool:
        """A step may be short, but thirty that take a millisecond each tell of the machine's mood."""
        return pair.name != STEADY_STEP or steps * pair.size >= floor

    phases = [with_parts(c, within) for c in judged("phase", pairs, large_enough, parts.noise, parts.used)]
    return Comparison(
        schema=1,
        headstart=before[0].headstart,
        before=side(labels[0], before),
        after=side(labels[1], after),
        totals=judged("total", _totals(before, after), total_worth_it, noise),
        phases=phases,
        functions=_functions(before, after, phases, parts),
        counts=_counts(before, after),
        warnings=warnings(before, after) + all_alike(phases),
        parts=[change_of(part.kind, part.pair, part.pair, part.p_value, beyond=True) for part in within],
    )


class _Parts:
    """Phases as measured, or relative to the machine's speed: whichever is less noisy within the sides."""

    def __init__(self, pairs: Sequence[Pair], plain: Noise, speeds: Speeds, floor: float) -> None:
        self._speeds = speeds
        self._made = {pair.name: pair.divided(speeds.without({pair.name})) for pair in pairs}
        other = Noise(list(self._made.values()), floor)
        self._relative = other.typical < CLEARLY * plain.typical
        self.noise = other if self._relative else plain

    def used(self, pair: Pair) -> Pair:
        if not self._relative:
            return pair
        return self._made.get(pair.name) or pair.divided(self._speeds.without(FUNCTION_PHASES))


def _totals(before: Sequence[Report], after: Sequence[Report]) -> list[Pair]:
    pairs: list[Pair] = []
    for name, get in TOTALS:
        old = [value for r in before if (value := get(r)) is not None]
        new = [value for r in after if (value := get(r)) is not None]
        if len(old) == len(before) and len(new) == len(after):
            pairs.append(Pair(name, old, new))
    return pairs


def _phases(before: Sequence[Report], after: Sequence[Report]) -> list[Pair]:
    names = {phase.id: None for r in (*before, *after) for phase in r.phases}
    pairs = []
    for name in names:
        old, new = ([phase_seconds(r, name) for r in side] for side in (before, after))
        if any(old) or any(new):
            pairs.append(Pair(name, old, new))
    return pairs


def _functions(
    before: Sequence[Report], after: Sequence[Report], phases: Sequence[Change], parts: _Parts
) -> list[Change]:
    """Tracing, optimising and compiling per function. A line may move between commits; name and file stay."""
    keys = {_key(f): None for r in (*before, *after) for f in r.functions}
    pairs = [Pair(key, *([_function(r, key) for r in side] for side in (before, after))) for key in keys]
    judge = any(c.verdict in TOLD for c in phases if c.name in FUNCTION_PHASES)
    floor = _floor(before, after) if judge else math.inf
    changes = judged("function", pairs, lambda pair: pair.size >= floor, parts.noise, parts.used)
    return sorted(changes, key=lambda change: -max(change.before, change.after))


def _key(function: Function) -> str:
    return f"{function.name} ({os.path.basename(function.file)})" if function.file else function.name


def _function(report: Report, key: str) -> float:
    found = (f for f in report.functions if _key(f) == key)
    return sum(f.trace_seconds + f.optimize_seconds + f.compile_seconds for f in found)


def _counts(before: Sequence[Report], after: Sequence[Report]) -> list[Change]:
    """What can be counted needs no statistics: it differs when no run is like one of the other side."""
    names = [name for name in before[0].counts if all(name in r.counts for r in (*before, *after))]
    return [
        _count(name, [r.counts[name] for r in before], [r.counts[name] for r in after])
        for name in sorted(names)
    ]


def _count(name: str, old: list[int], new: list[int]) -> Change:
    verdict = "more" if min(new) > max(old) else "fewer" if max(new) < min(old) else "same"
    first, second = fast_mean(old), fast_mean(new)
    return Change(
        group="count",
        name=name,
        before=first,
        after=second,
        difference=second - first,
        difference_ci95=None,
        ratio=second / first if first else None,
        ratio_ci95=None,
        p_value=None,
        verdict=verdict,
        unit="count",
    )


def _floor(before: Sequence[Report], after: Sequence[Report]) -> float:
    walls = [fast_mean([r.wall_seconds for r in side]) for side in (before, after)]
    return max(LEAST_SECONDS, LEAST_SHARE * min(walls))
