"""Two sets of runs: what differs, by how much, and whether that can be told from noise.

Times are located by the mean of the faster half of the runs: what disturbs a program only ever adds time. A
difference is told when it is several times as large as the noise, large enough to matter, and its bootstrap
interval excludes "no change". The noise of ten runs is itself hard to know, so it is taken from all phases
together, and a phase's own is used only where that is clearly larger. A gate that cries wolf gets switched off.

A whole run may be fast or slow with its machine, which hides a change in one part of it. Where dividing each run's
parts by how fast the machine was in that run, as the other phases tell, makes the noise smaller, parts are compared
so; totals never. Functions are looked at only where the phases that they make up have changed. Modules and
libraries are looked at in any case, and a phase whose noise hides what one of them shows has changed with it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence

import msgspec

from .noise import BEYOND, BEYOND_TOTAL, Noise, Pair
from .parts import Part, changed
from .report import Function, Report
from .resample import FEWEST_RUNS, fast_mean, location_interval
from .speed import Speeds, phase_seconds

FUNCTION_PHASES = {"tracing", "graph-optimization", "xla-compile"}
TOLD = ("slower", "faster")
LEAST_SECONDS = 0.05
LEAST_SHARE = 0.01
"""A quantity below 50 ms or below 1 % of the run, on both sides, is not tested: nothing depends on it."""
CLEARLY = 0.8
"""Dividing by the speed of the machine must lower the noise to this share of it, or it is not done."""
LEAST_CHANGE = 0.03
LEAST_CHANGE_PART = 0.06
"""A total that changes by less than 3 % is the same, however certain that is; a part by less than 6 %."""


TOTALS: tuple[tuple[str, Callable[[Report], float | None]], ...] = (
    ("time to first step", lambda r: r.time_to_first_step),
    ("whole run", lambda r: r.wall_seconds),
    ("steady step", lambda r: r.steps.steady_median_seconds),
)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity on both sides."""

    group: str
    """"total" | "phase" | "function" | "module" | "library" | "count"."""
    name: str
    before: float
    after: float
    difference: float
    difference_ci95: tuple[float, float] | None
    ratio: float | None
    ratio_ci95: tuple[float, float] | None
    p_value: float | None
    """Adjusted for the number of quantities in the group; None where it was not tested."""
    verdict: str
    """"slower" | "faster" | "same" | "unknown"; for counts "more" | "fewer" | "same"."""
    unit: str = "seconds"
    adjusted: bool = False
    """True when the interval is that of times divided by the speed of the machine in each run."""
    by: list[str] = []
    """Of a phase: the modules or libraries that have changed. Where only they tell that it has, the difference is
    theirs."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    label: str
    runs: int
    argv: list[str]
    python: str
    tensorflow: str | None
    keras: str | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    schema: int
    headstart: str
    before: Side
    after: Side
    totals: list[Change]
    phases: list[Change]
    functions: list[Change]
    counts: list[Change]
    warnings: list[str]
    parts: list[Change] = []
    """Modules and libraries that differ beyond doubt."""

    @property
    def told(self) -> list[Change]:
        """What differs beyond doubt, the largest change in seconds first."""
        found = [
            c
            for c in (*self.totals, *self.phases, *self.functions, *self.parts)
            if c.verdict in ("slower", "faster")
        ]
        return sorted(found, key=lambda change: -abs(change.difference))

    @property
    def headline(self) -> Change:
        return self.totals[0]


def compare(
    before: Sequence[Report], after: Sequence[Report], labels: tuple[str, str] = ("A", "B")
) -> Comparison:
    """Compare two sets of reports; each must hold at least one."""
    floor = _floor(before, after)
    pairs = _phases(before, after)
    parts = _Parts(pairs, Speeds([*before, *after], floor), floor)
    within = changed(before, after, pairs, parts.noise)
    phases = [_with_parts(c, within) for c in _judge("phase", pairs, floor, parts.noise, parts.used)]
    return Comparison(
        schema=1,
        headstart=before[0].headstart,
        before=_side(labels[0], before),
        after=_side(labels[1], after),
        totals=_judge("total", _totals(before, after), 0.0, Noise(pairs, floor)),
        phases=phases,
        functions=_functions(before, after, phases, parts),
        counts=_counts(before, after),
        warnings=_warnings(before, after) + _all_alike(phases),
        parts=[_change(part.kind, part.pair, part.pair, part.p_value, beyond=True) for part in within],
    )


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of a set of runs."""

    group: str
    name: str
    seconds: float
    ci95: tuple[float, float] | None
    lowest: float
    highest: float


def summarise(reports: Sequence[Report]) -> list[Location]:
    """Where a set of runs lies: totals and phases, with bootstrap intervals."""
    sets = [("total", name, [get(r) for r in reports]) for name, get in TOTALS]
    names = {phase.id: None for r in reports for phase in r.phases}
    sets += [("phase", name, [phase_seconds(r, name) for r in reports]) for name in names]
    found = []
    for group, name, values in sets:
        known = [value for value in values if value is not None]
        if len(known) == len(reports) and any(known):
            found.append(
                Location(
                    group=group,
                    name=name,
                    seconds=fast_mean(known),
                    ci95=location_interval(known, location=fast_mean),
                    lowest=min(known),
                    highest=max(known),
                )
            )
    return found


# --- the quantities -----------------------------------------------------------------------------------------


class _Parts:
    """Phases as measured, or relative to the machine's speed: whichever is less noisy within the sides."""

    def __init__(self, pairs: Sequence[Pair], speeds: Speeds, floor: float) -> None:
        self._speeds = speeds
        self._floor = floor
        relative = {pair.name: pair.divided(speeds.without({pair.name})) for pair in pairs}
        plain, other = Noise(pairs, floor), Noise(list(relative.values()), floor)
        self._relative = other.typical < CLEARLY * plain.typical
        self.noise = other if self._relative else plain
        self._made = relative

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
    changes = _judge("function", pairs, floor, parts.noise, parts.used)
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


# --- the judgement ------------------------------------------------------------------------------------------


def _floor(before: Sequence[Report], after: Sequence[Report]) -> float:
    walls = [fast_mean([r.wall_seconds for r in side]) for side in (before, after)]
    return max(LEAST_SECONDS, LEAST_SHARE * min(walls))


def _judge(
    group: str,
    pairs: Sequence[Pair],
    floor: float,
    noise: Noise,
    used: Callable[[Pair], Pair] = lambda pair: pair,
) -> list[Change]:
    """Test those worth it; describe all of them."""
    enough = bool(pairs) and min(len(pairs[0].old), len(pairs[0].new)) >= FEWEST_RUNS
    tested = {pair.name: used(pair) for pair in pairs if enough and pair.size >= floor}
    p_values = noise.p_values(list(tested.values()))
    errors = BEYOND_TOTAL if group == "total" else BEYOND
    rest = "same" if enough else "unknown"
    changes = []
    for pair in pairs:
        test = tested.get(pair.name)
        if test is None:
            changes.append(_change(group, pair, verdict=rest))
        else:
            beyond = noise.is_beyond(test, errors)
            changes.append(_change(group, pair, test, p_values[pair.name], beyond))
    return changes


def _change(
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


def _with_parts(phase: Change, parts: Sequence[Part]) -> Change:
    """A phase with what has changed in it; told by that, where it goes the same way and is most of the difference."""
    own = [part for part in parts if part.phase == phase.name]
    if not own or phase.p_value is None:
        return phase
    by = [part.pair.name for part in own]
    gaps = [part.pair.effect.difference for part in own]
    gap = sum(each.estimate for each in gaps)
    low, high = sum(each.low for each in gaps), sum(each.high for each in gaps)
    material = (low > 0 or high < 0) and abs(gap) >= LEAST_CHANGE_PART * phase.before > 0
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


# --- is it fair? --------------------------------------------------------------------------------------------


def _side(label: str, reports: Sequence[Report]) -> Side:
    target = reports[0].target
    return Side(
        label=label,
        runs=len(reports),
        argv=target.argv,
        python=target.python,
        tensorflow=target.tensorflow,
        keras=target.keras,
    )


def _warnings(before: Sequence[Report], after: Sequence[Report]) -> list[str]:
    found = []
    if min(len(before), len(after)) < FEWEST_RUNS:
        found.append(
            f"fewer than {FEWEST_RUNS} runs a side: nothing can be told from noise. "
            "`headstart bench -n 10 -- A --vs B` makes enough, interleaved."
        )
    facts: list[tuple[str, Callable[[Report], object]]] = [
        ("Python", lambda r: r.target.python),
        ("TensorFlow", lambda r: r.target.tensorflow),
        ("Keras", lambda r: r.target.keras),
        ("headstart", lambda r: r.headstart),
        ("warm start", lambda r: "yes" if r.target.warm else "no"),
        ("exit status", lambda r: r.target.exit_code),
        ("kind of step", lambda r: r.steps.kind),
        ("number of steps", lambda r: r.steps.count),
    ]
    keys = {key: None for r in (*before, *after) for key in r.environment}
    facts += [(key, lambda r, key=key: r.environment.get(key)) for key in keys]  # type: ignore[misc]
    for name, get in facts:
        old, new = ({str(get(r)) for r in side} for side in (before, after))
        if old != new or len(old) > 1:
            found.append(f"{name} differs: {' / '.join(sorted(old))} against {' / '.join(sorted(new))}")
    if any(r.target.cut for r in (*before, *after)):
        found.append("a record is cut: its program was killed, and its times end there")
    return found


def _all_alike(phases: Sequence[Change]) -> list[str]:
    """Runs that were not interleaved: a machine in another mood changes every phase by the same factor."""
    ratios = [c.after / c.before - 1 for c in phases if c.p_value is not None and c.before > 0]
    sizes = [abs(ratio) for ratio in ratios]
    if len(ratios) < 4 or min(sizes) < 0.02 or min(sizes) < 0.4 * max(sizes):
        return []
    if min(ratios) < 0 < max(ratios):
        return []
    return [
        "every phase changed by about the same factor: that is rather the machine than the program. "
        "`headstart bench -n 10 -- A --vs B` runs both in turn, so that they meet the same weather."
    ]
