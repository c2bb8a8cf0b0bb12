"""From an analysed run to its findings: every rule's detector, then folding, then ranking."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..analyse.model import Analysis
from ..analyse.report import Finding
from .catalogue import all_rules
from .draft import Draft
from .evidence.places import source_of, text_at
from .folding import Claim, fold
from .rule import Rule

_NOT_THE_USERS = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
SECONDS_PER_GIGABYTE = 2.0
"""For ranking only: memory that will not be given back, beside time."""


class DetectorError(Exception):
    """A detector failed: headstart's mistake, told in tests and left out of users' reports."""


def find(run: Analysis, strict: bool = False) -> list[Finding]:
    """The findings of a run, worst first. With `strict`, a detector's own mistake is raised."""
    claims = [
        Claim(rule, draft)
        for rule in all_rules()
        for draft in _drafts(rule, run, strict)
        if _points_at_user(draft)
    ]
    kept = fold(claims)
    kept.sort(key=_rank)
    return [_finding(claim) for claim in kept]


def _drafts(rule: Rule, run: Analysis, strict: bool) -> Iterable[Draft]:
    try:
        return list(rule.detect(run))
    except Exception as error:
        if strict:
            raise DetectorError(f"{rule.code} {rule.slug}: {type(error).__name__}: {error}") from error
        return []


def _rank(claim: Claim) -> tuple[bool, bool, float]:
    return claim.draft.confidence == "low", claim.rule.another_way, -weight(claim.draft)


def weight(draft: Draft) -> float:
    return draft.seconds + SECONDS_PER_GIGABYTE * draft.bytes / 1e9


def _points_at_user(draft: Draft) -> bool:
    return (
        draft.file is not None and bool(draft.line) and not any(mark in draft.file for mark in _NOT_THE_USERS)
    )


def _finding(claim: Claim) -> Finding:
    rule, draft = claim.rule, claim.draft
    assert draft.file is not None and draft.line is not None  # noqa: PT018
    details = dict(draft.details)
    text = text_at(draft.file, draft.line)
    if text:
        details["text"] = text
    if claim.folded:
        details["explains"] = list(claim.folded)
    if draft.bytes:
        details["bytes"] = draft.bytes
    return Finding(
        rule=rule.code,
        slug=rule.slug,
        title=draft.title,
        file=draft.file,
        line=draft.line,
        seconds_lost=round(draft.seconds, 3),
        confidence=draft.confidence,
        advice=" ".join(draft.advice.split()),
        fix_available=_fixable(rule, draft.file, draft.line),
        details=details,
    )


def _fixable(rule: Rule, file: str, line: int) -> bool:
    """`headstart lint --fix` would change this very line, or the statement around it."""
    source = source_of(file) if rule.fix is not None and rule.check is not None else None
    if source is None or rule.check is None:
        return False
    try:
        return any(problem.edits and abs(problem.line - line) <= 1 for problem in rule.check(source))
    except Exception:
        return False
