"""What a detector says, before folding and ranking turn it into a finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Confidence = Literal["high", "medium", "low"]
Interval = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One suspected cause at one line of the user's code."""

    title: str
    """One sentence in plain words, with the number."""
    file: str | None
    line: int | None
    seconds: float
    """What mending it would have saved in this run."""
    confidence: Confidence
    advice: str
    """What to write instead, three lines at most."""
    claims: tuple[Interval, ...] = ()
    """The stretches of time that this cause explains: what others claim of them is its consequence."""
    bytes: int = 0
    """Memory that mending it would free, where that is the harm."""
    details: dict[str, Any] = field(default_factory=dict)
