"""What a rule is: one cause, with its text, its examples, its detector and its optional static check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..one_a_file import IncompleteFileError, check_description, sections
from .draft import Draft
from .static.source import Problem, Source

if TYPE_CHECKING:
    from ..analyse.model import Analysis

Detector = Callable[["Analysis"], Iterable[Draft]]
Check = Callable[[Source], Iterable[Problem]]
FixSafety = Literal["safe", "unsafe"]

SECTIONS = ("What it does", "Why it costs", "Use instead", "Fix safety")
"""Every rule's docstring has these headings, in this order; the examples come from `bad` and `good`."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One cause. `doc` is the docstring of the rule's file."""

    code: str
    slug: str
    doc: str
    symptoms: tuple[str, ...]
    """What somebody who suffers from it would type into a search box."""
    threshold: str
    """When it is reported, and why not earlier."""
    bad: str
    """A whole small program that has the cause; its test and its documentation."""
    good: str
    """The same program mended."""
    detect: Detector
    check: Check | None = None
    fix: FixSafety | None = None
    """Whether `headstart lint --fix` can mend it, and whether that may change what the program does."""
    another_way: bool = False
    """Not a cause that can be mended, but another way to do the whole: told after the causes, however much it saves."""

    @property
    def summary(self) -> str:
        return self.doc.strip().splitlines()[0].rstrip(".")

    @property
    def group(self) -> str:
        return GROUPS[self.code[2]]

    def sections(self) -> dict[str, str]:
        """The docstring's text by heading."""
        return sections(self.doc)


GROUPS = {
    "1": "Start",
    "2": "Building and weights",
    "3": "Tracing and compiling",
    "4": "Data",
    "5": "Growth",
    "6": "Serving",
}


def validate(rule: Rule, where: str) -> None:
    """Raise when a rule lacks what its page, its test or its finding needs."""
    if not re.fullmatch(r"HS[1-6]\d\d", rule.code):
        raise IncompleteFileError(f"{where}: {rule.code!r} is not a rule code")
    check_description(rule, SECTIONS, where)
    for name in ("threshold", "bad", "good"):
        if not getattr(rule, name).strip():
            raise IncompleteFileError(f"{where}: {name} is empty")
    if not rule.symptoms:
        raise IncompleteFileError(f"{where}: no symptoms, so nobody will find its page")
    if rule.fix is not None and rule.check is None:
        raise IncompleteFileError(f"{where}: a fix needs a check that finds what to mend")
