"""What a claim is: a sentence that somebody believes, as an experiment whose verdict follows from its numbers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..one_a_file import IncompleteFileError, check_description, sections

if TYPE_CHECKING:
    from ..analyse.model import Analysis

Notes = Mapping[str, Any]
"""What one run of an arm said that it measured."""
Runs = Mapping[str, Sequence[Notes]]
"""The runs of each arm, by the arm's name, in the order in which they were made."""

MODES = ("quick", "full")
SECTIONS = ("What is measured", "What happens", "What headstart does")
"""Every claim's docstring has these headings, in this order, after the claim itself."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One of the programs that are compared."""

    name: str
    program: str
    """A whole program; it reports with `headstart.lab.arm`."""
    fresh: bool = False
    """True when the start of a process is what is measured: it is never forked from a warm interpreter."""
    environ: Mapping[str, str] = field(default_factory=dict)
    via: Literal["python", "run"] = "python"
    """"run": started by `headstart run`, after one run that fills the caches."""
    setup: str = ""
    """A program that is run once before, in the same folder, for what the arm reads."""
    needs: str = ""
    """What must be there: see `environment.NEEDS`."""
    modes: tuple[str, ...] = MODES
    timeout: float = 180.0


class Quantity(NamedTuple):
    """A number of each run of an arm."""

    arm: str
    label: str
    """As in "{label} {value}": "a steady step"."""
    read: Callable[[Notes], float]
    unit: str = "s"
    """"s" | "bytes" | "" for counts."""
    plus: Quantity | None = None
    """Another one, of the same block's run of another arm, to be added."""

    @property
    def arms(self) -> set[str]:
        return {self.arm} | (self.plus.arms if self.plus else set())


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """What the claim says is larger, over what it says is smaller; both thresholds are above 1.

    Two thresholds and not one: between them lies what is neither clearly so nor clearly not, and a verdict that
    stands there is not given. So noise can make a verdict fail to appear, but not turn it around.
    """

    slow: Quantity
    fast: Quantity
    holds_from: float
    fails_below: float
    when: str = ""
    """The condition under which this is measured: "with 100 million weights"."""
    share: bool = False
    """Shown as the share of `slow` that `fast` lacks, and not as a factor."""
    needs: str = ""
    decisive: bool = False
    """Without this one the claim cannot fail: what it needs is what the claim speaks of."""

    def swapped(self) -> Contrast:
        return replace(self, slow=self.fast, fast=self.slow)


class Twin(NamedTuple):
    """A quantity that headstart's record must show too: an outside clock and the ledger read the same run."""

    arm: str
    what: str
    """In words: "tracing and optimising in the first step"."""
    clock: str
    """The name of the arm's clock or note."""
    ledger: Callable[[Analysis, int, int], float]
    """The same from the record, given the clock's beginning and end (0 and 0 for a note)."""


class Examples(NamedTuple):
    """Made-up measurements, one run an arm, from which the judge must come to each verdict."""

    holds: Mapping[str, Notes]
    fails: Mapping[str, Notes]
    partly: Mapping[str, Notes] | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim. `doc` is the docstring of its file: first line the claim, then the sections."""

    id: str
    slug: str
    doc: str
    documents: tuple[str, ...]
    """Which of the five documents say it; empty for folklore from issue trackers."""
    arms: tuple[Arm, ...]
    contrasts: tuple[Contrast, ...]
    rule: Literal["all", "when"] = "all"
    """"all": every contrast is a part of the claim. "when": each is a condition under which it may hold."""
    twin: Twin
    examples: Examples
    remedy: Contrast | None = None
    """What headstart gives for it; its thresholds are not used."""
    fewest: int = 4
    """The fewest runs of each arm in a quick lab."""

    @property
    def sentence(self) -> str:
        return inspect.cleandoc(self.doc).split("\n\n", 1)[0].replace("\n", " ").rstrip(".")

    def sections(self) -> dict[str, str]:
        """The docstring's text by heading."""
        return sections(self.doc)

    def swapped(self) -> Claim:
        """The experiment with its arms exchanged."""
        return replace(self, contrasts=tuple(contrast.swapped() for contrast in self.contrasts))

    def arm(self, name: str) -> Arm:
        return next(arm for arm in self.arms if arm.name == name)


def validate(claim: Claim, where: str) -> None:
    """Raise when a claim lacks what its experiment or its page needs."""
    if not re.fullmatch(r"[CF]\d\d", claim.id):
        raise IncompleteFileError(f"{where}: {claim.id!r} is no claim's id")
    check_description(claim, SECTIONS, where)
    if not claim.contrasts:
        raise IncompleteFileError(f"{where}: nothing is compared")
    for mode in MODES:
        names = [arm.name for arm in claim.arms if mode in arm.modes]
        if len(set(names)) != len(names):
            raise IncompleteFileError(f"{where}: two arms have one name in a {mode} lab")
    for contrast in claim.contrasts:
        if not 1.0 < contrast.fails_below < contrast.holds_from:
            raise IncompleteFileError(f"{where}: thresholds must be 1 < fails_below < holds_from")
        if claim.rule == "when" and not contrast.when:
            raise IncompleteFileError(f"{where}: a condition without its text")
    used = {
        arm for contrast in claim.contrasts for side in (contrast.slow, contrast.fast) for arm in side.arms
    }
    unknown = (used | {claim.twin.arm}) - {arm.name for arm in claim.arms}
    if unknown:
        raise IncompleteFileError(f"{where}: no arm is called {sorted(unknown)[0]!r}")
