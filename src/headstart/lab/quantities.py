"""The usual ways to get a number out of what an arm has noted, and out of headstart's record of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..analyse.stats import median
from ..record.signals import NATIVE
from .claim import Notes, Quantity

if TYPE_CHECKING:
    from ..analyse.model import Analysis

Reader = Callable[[Notes], float]
LEAST = 1e-9
"""What a difference is at least, where noise has made it negative or nothing."""


def noted(arm: str, name: str, label: str, unit: str = "s") -> Quantity:
    """A value as the arm has noted it; nothing noted is "never": larger than everything."""
    return Quantity(arm, label, lambda notes: _number(notes.get(name)), unit)


def middle(arm: str, name: str, label: str, skip: int = 0, unit: str = "s") -> Quantity:
    """The median of a noted list, without its first `skip` values."""
    return Quantity(arm, label, lambda notes: median(notes[name][skip:]), unit)


def computed(arm: str, label: str, read: Reader, unit: str = "s") -> Quantity:
    """Anything that follows from one run's notes; never less than next to nothing."""
    return Quantity(arm, label, lambda notes: max(read(notes), LEAST), unit)


def summed(one: Quantity, other: Quantity, label: str) -> Quantity:
    """Two quantities of two arms, added block by block."""
    return one._replace(label=label, plus=other)


def early_and_late(
    arm: str, name: str, label: str, skip: int = 0, unit: str = "s"
) -> tuple[Quantity, Quantity]:
    """Medians of the first and of the last fifth of a series, its first `skip` values left out: has it grown?"""

    def part(last: bool) -> Reader:
        def read(notes: Notes) -> float:
            values = notes[name][skip:]
            size = max(1, len(values) // 5)
            return max(median(values[-size:] if last else values[:size]), LEAST)

        return read

    return (
        Quantity(arm, f"{label} at the beginning", part(False), unit),
        Quantity(arm, f"{label} at the end", part(True), unit),
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else float("inf")


# --- the same from the record -----------------------------------------------------------------------------------

LedgerReader = Callable[["Analysis", int, int], float]


def phases(*ids: str) -> LedgerReader:
    """Seconds that the ledger gives to these phases between two moments."""
    wanted = frozenset(ids)

    def read(analysis: Analysis, start_ns: int, end_ns: int) -> float:
        total = 0
        for segment in analysis.timeline:
            if segment.phase in wanted:
                total += max(0, min(segment.end_ns, end_ns) - max(segment.start_ns, start_ns))
        return total / 1e9

    return read


def first_step(analysis: Analysis, start_ns: int, end_ns: int) -> float:
    """The first step as headstart's report has it."""
    return analysis.report.steps.first_seconds or 0.0


def traces_of(name: str) -> LedgerReader:
    """How often the report says that functions with this name were traced."""

    def read(analysis: Analysis, start_ns: int, end_ns: int) -> float:
        return float(sum(row.traces for row in analysis.report.functions if row.name == name))

    return read


def wall(analysis: Analysis, start_ns: int, end_ns: int) -> float:
    """The whole run."""
    return analysis.wall_seconds


def libraries_loaded(analysis: Analysis, start_ns: int, end_ns: int) -> float:
    """Loading libraries in the whole run, without what their modules then do in their own init functions."""
    total, until = 0, 0
    for span in analysis.spans(NATIVE):
        if span.attrs.get("step") == "create" and span.start_ns >= until:
            total, until = total + span.end_ns - span.start_ns, span.end_ns
    return total / 1e9


def to_first_step(analysis: Analysis, start_ns: int, end_ns: int) -> float:
    """From process start to the end of step 1."""
    return analysis.report.time_to_first_step or 0.0
