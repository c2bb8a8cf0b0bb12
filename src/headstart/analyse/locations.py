"""One set of runs: where each of its quantities lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from .report import Report
from .resample import fast_mean, location_interval
from .speed import phase_seconds

STEADY_STEP = "steady step"
TOTALS: tuple[tuple[str, Callable[[Report], float | None]], ...] = (
    ("time to first step", lambda r: r.time_to_first_step),
    ("whole run", lambda r: r.wall_seconds),
    (STEADY_STEP, lambda r: r.steps.steady_median_seconds),
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
