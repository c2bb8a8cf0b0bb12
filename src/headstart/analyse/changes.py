"""What a comparison of two sets of runs consists of."""

from __future__ import annotations

import msgspec

TOLD = ("slower", "faster")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity on both sides."""

    group: str
    """"total" | "phase" | "function" | "module" | "library" | "work" | "count"."""
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
    """Of a phase: the modules, libraries or pieces of work that have changed. Where only they tell that it has, the
    difference is theirs."""


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
    """Modules, libraries and pieces of work that differ beyond doubt."""

    @property
    def told(self) -> list[Change]:
        """What differs beyond doubt, the largest change in seconds first."""
        found = [c for c in (*self.totals, *self.phases, *self.functions, *self.parts) if c.verdict in TOLD]
        return sorted(found, key=lambda change: -abs(change.difference))

    @property
    def headline(self) -> Change:
        return self.totals[0]
