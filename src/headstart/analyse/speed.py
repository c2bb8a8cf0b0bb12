"""How fast the machine was in each run, told by the phases themselves."""

from __future__ import annotations

from collections.abc import Sequence

from .report import Report
from .stats import median

NOT_TELLING = ("unattributed", "external-wait", "user-code", "shutdown", "interpreter")
"""Phases whose length depends on other things than how fast this machine computes."""


class Speeds:
    """Each run's factor relative to all of them: 1.1 is a run in which everything took a tenth longer."""

    def __init__(self, reports: Sequence[Report], floor: float) -> None:
        self._factors: dict[str, list[float]] = {}
        names = {phase.id for report in reports for phase in report.phases} - set(NOT_TELLING)
        for name in names:
            seconds = [phase_seconds(report, name) for report in reports]
            typical = median(seconds)
            if typical >= floor and min(seconds) > 0:
                self._factors[name] = [value / typical for value in seconds]

    def without(self, left_out: set[str]) -> list[float] | None:
        """The factors that the other phases agree on; None when fewer than three of them can tell."""
        names = [name for name in self._factors if name not in left_out]
        if len(names) < 3:
            return None
        # Each phase has one vote, however long it is: else the longest decides alone.
        return [median(column) for column in zip(*(self._factors[name] for name in names), strict=True)]


def phase_seconds(report: Report, name: str) -> float:
    return sum(phase.seconds for phase in report.phases if phase.id == name)
