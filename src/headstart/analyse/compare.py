"""Two sets of runs: what differs, by how much, and whether that can be told from noise.

A difference is told when three things agree: a rank test that counts how often luck alone would do this,
corrected for how many quantities were looked at; a bootstrap interval that excludes "no change"; and a size
that matters. One of them alone cries wolf on a busy machine, and a gate that cries wolf gets switched off.

A whole run is fast or slow with its machine, which hides a change in one part of it. Parts are therefore
compared after dividing by how fast the machine was in that run, which the other phases tell. When all parts
change alike, the totals see it, which are compared as measured. Functions are looked at only where the phases
that they make up have changed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from .report import Function, Report
from .resample import FEWEST_RUNS, Effect, effect, holm, location_interval, mann_whitney_p, trimmed_mean
from .speed import Speeds, phase_seconds

SIGNIFICANT = 0.005
SIGNIFICANT_PART = 0.01
"""Family-wise, for totals and for parts. Far stricter than the usual 5 %: this runs on every commit."""
FUNCTION_PHASES = {"tracing", "graph-optimization", "xla-compile"}
TOLD = ("slower", "faster")
LEAST_SECONDS = 0.02
LEAST_SHARE = 0.01
"""A quantity below 20 ms and below 1 % of the run, on both sides, is not tested: nothing depends on it."""
LEAST_CHANGE = 0.02
LEAST_CHANGE_PART = 0.05
"""A total that changes by less than 2 % is the same, however certain that is; a part by less than 5 %."""


TOTALS: tuple[tuple[str, Callable[[Report], float | None]], ...] = (
    ("time to first step", lambda r: r.time_to_first_step),
    ("whole run", lambda r: r.wall_seconds),
    ("steady step", lambda r: r.steps.steady_median_seconds),
)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity on both sides."""

    group: str
    """"total" | "phase" | "function" | "count"."""
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

    @property
    def told(self) -> list[Change]:
        """What differs beyond doubt, the largest change in seconds first."""
        found = [
            c for c in (*self.totals, *self.phases, *self.functions) if c.verdict in ("slower", "faster")
        ]
        return sorted(found, key=lambda change: -abs(change.difference))

    @property
    def headline(self) -> Change:
        return self.totals[0]


def compare(
    before: Sequence[Report], after: Sequence[Report], labels: tuple[str, str] = ("A", "B")
) -> Comparison:
    """Compare two sets of reports; each must hold at least one."""
    phases = _phases(before, after)
    return Comparison(
        schema=1,
        headstart=before[0].headstart,
        before=_side(labels[0], before),
        after=_side(labels[1], after),
        totals=_totals(before, after),
        phases=phases,
        functions=_functions(
            before, after, any(c.verdict in TOLD for c in phases if c.name in FUNCTION_PHASES)
        ),
        counts=_counts(before, after),
        warnings=_warnings(before, after),
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
                    seconds=trimmed_mean(known),
                    ci95=location_interval(known),
                    lowest=min(known),
                    highest=max(known),
                )
            )
    return found


# --- the quantities -----------------------------------------------------------------------------------------


class _Pair(NamedTuple):
    """One quantity in every run of each side, and the machine's speed in those runs where it is known."""

    name: str
    old: list[float]
    new: list[float]
    old_speed: list[float] | None = None
    new_speed: list[float] | None = None

    def adjusted(self) -> _Pair | None:
        if self.old_speed is None or self.new_speed is None:
            return None
        old = [value / speed for value, speed in zip(self.old, self.old_speed, strict=True)]
        new = [value / speed for value, speed in zip(self.new, self.new_speed, strict=True)]
        return _Pair(self.name, old, new)


def _totals(before: Sequence[Report], after: Sequence[Report]) -> list[Change]:
    pairs: list[_Pair] = []
    for name, get in TOTALS:
        old = [value for r in before if (value := get(r)) is not None]
        new = [value for r in after if (value := get(r)) is not None]
        if len(old) == len(before) and len(new) == len(after):
            pairs.append(_Pair(name, old, new))
    return _judge("total", pairs, 0.0)


def _phases(before: Sequence[Report], after: Sequence[Report]) -> list[Change]:
    names = {phase.id: None for r in (*before, *after) for phase in r.phases}
    speeds = Speeds([*before, *after], _floor(before, after))
    pairs = []
    for name in names:
        old, new = ([phase_seconds(r, name) for r in side] for side in (before, after))
        if any(old) or any(new):
            pairs.append(_Pair(name, old, new, *_split(speeds.without({name}), len(before))))
    return _judge("phase", pairs, _floor(before, after))


def _functions(before: Sequence[Report], after: Sequence[Report], judge: bool) -> list[Change]:
    """Tracing, optimising and compiling per function. A line may move between commits; name and file stay."""
    keys = {_key(f): None for r in (*before, *after) for f in r.functions}
    speed = Speeds([*before, *after], _floor(before, after)).without(FUNCTION_PHASES)
    pairs = []
    for key in keys:
        old, new = ([_function(r, key) for r in side] for side in (before, after))
        pairs.append(_Pair(key, old, new, *_split(speed, len(before))))
    changes = _judge("function", pairs, _floor(before, after) if judge else math.inf)
    return sorted(changes, key=lambda change: -max(change.before, change.after))


def _split(speed: list[float] | None, at: int) -> tuple[list[float] | None, list[float] | None]:
    return (None, None) if speed is None else (speed[:at], speed[at:])


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
    first, second = trimmed_mean(old), trimmed_mean(new)
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
    walls = [trimmed_mean([r.wall_seconds for r in side]) for side in (before, after)]
    return max(LEAST_SECONDS, LEAST_SHARE * min(walls))


def _judge(group: str, pairs: Sequence[_Pair], floor: float) -> list[Change]:
    """Test those worth it, together; describe all of them."""
    enough = bool(pairs) and min(len(pairs[0].old), len(pairs[0].new)) >= FEWEST_RUNS
    tested: list[tuple[_Pair, _Pair, float]] = []
    for pair in pairs:
        if enough and max(trimmed_mean(pair.old), trimmed_mean(pair.new)) >= floor:
            used = pair.adjusted() or pair
            tested.append((pair, used, mann_whitney_p(used.old, used.new)))
    p_values = holm([p for *_, p in tested])
    judged = {
        pair.name: _change(group, pair, effect(used.old, used.new), p, used is not pair)
        for (pair, used, _), p in zip(tested, p_values, strict=True)
    }
    rest = "same" if enough else "unknown"
    return [judged.get(pair.name) or _change(group, pair, None, None, False, rest) for pair in pairs]


def _change(
    group: str,
    pair: _Pair,
    found: Effect | None,
    p_value: float | None,
    adjusted: bool,
    verdict: str = "same",
) -> Change:
    first, second = trimmed_mean(pair.old), trimmed_mean(pair.new)
    limit, least = (SIGNIFICANT, LEAST_CHANGE) if group == "total" else (SIGNIFICANT_PART, LEAST_CHANGE_PART)
    if found is not None and p_value is not None and p_value < limit:
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
        adjusted=adjusted,
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
