"""What a lab brings home: its JSON form is stable (schema 1)."""

from __future__ import annotations

from typing import Any

import msgspec

from .claim import Claim, Contrast
from .judge import ABSENT, PARTLY, Judgement, Part
from .ledger import LedgerCheck

SCHEMA = 1
LONGEST_LIST = 100


class PartResult(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison: what the claim says is larger over what it says is smaller."""

    when: str
    outcome: str
    """"holds" | "does not hold" | "open" | "absent"."""
    ratio: float | None
    interval: tuple[float, float] | None
    slow: str
    slow_value: float | None
    fast: str
    fast_value: float | None
    unit: str
    share: bool
    holds_from: float
    fails_below: float
    runs: int
    needs: str = ""


class ClaimResult(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    slug: str
    claim: str
    documents: list[str]
    verdict: str
    """"holds" | "holds when" | "does not hold" | "not measurable here"."""
    condition: str
    effect: float | None
    """Of the deciding comparison: a factor, or a share where `unit` says so."""
    interval: tuple[float, float] | None
    unit: str
    """"times" | "share"."""
    parts: list[PartResult]
    ledger: LedgerCheck | None
    remedy: PartResult | None
    remedy_missing: str
    """Why there is no figure for the remedy, empty when there is one or none is offered."""
    runs: int
    seconds: float
    measurements: dict[str, list[dict[str, Any]]]
    error: str = ""

    @property
    def verdict_text(self) -> str:
        if self.verdict == PARTLY:
            return f"holds when {self.condition}"
        return (
            f"{self.verdict}: {self.condition}" if self.verdict == ABSENT and self.condition else self.verdict
        )


class LabResult(msgspec.Struct, frozen=True, kw_only=True):
    schema: int
    headstart: str
    lab: str
    """"quick" | "full"."""
    seed: int
    started: str
    seconds: float
    environment: dict[str, Any]
    claims: list[ClaimResult]

    def claim(self, id: str) -> ClaimResult | None:
        return next((claim for claim in self.claims if claim.id == id), None)


def part_result(part: Part) -> PartResult:
    contrast, found = part.contrast, part.ratio
    return PartResult(
        when=contrast.when,
        outcome=part.outcome,
        ratio=found.estimate if found else None,
        interval=(found.low, found.high) if found else None,
        slow=contrast.slow.label,
        slow_value=part.slow,
        fast=contrast.fast.label,
        fast_value=part.fast,
        unit=contrast.slow.unit,
        share=contrast.share,
        holds_from=contrast.holds_from,
        fails_below=contrast.fails_below,
        runs=found.blocks if found else 0,
        needs=contrast.needs,
    )


def claim_result(
    claim: Claim,
    judgement: Judgement,
    *,
    ledger: LedgerCheck | None,
    remedy: Part | None,
    remedy_missing: str,
    measurements: dict[str, list[dict[str, Any]]],
    seconds: float,
    error: str = "",
) -> ClaimResult:
    """Put together what is known of a claim; the effect is that of the comparison that decided."""
    deciding = _deciding(judgement)
    effect, interval = _shown(deciding.contrast, deciding)
    return ClaimResult(
        id=claim.id,
        slug=claim.slug,
        claim=claim.sentence,
        documents=list(claim.documents),
        verdict=judgement.verdict,
        condition=judgement.condition,
        effect=effect,
        interval=interval,
        unit="share" if deciding.contrast.share else "times",
        parts=[part_result(part) for part in judgement.parts],
        ledger=ledger,
        remedy=part_result(remedy) if remedy else None,
        remedy_missing=remedy_missing,
        runs=sum(map(len, measurements.values())),
        seconds=seconds,
        measurements={arm: [thin(notes) for notes in runs] for arm, runs in measurements.items()},
        error=error,
    )


def _deciding(judgement: Judgement) -> Part:
    """The first part that came out as the verdict says, else the first that was measured, else the first."""
    wanted = "holds" if judgement.verdict == PARTLY else judgement.verdict
    order = [part for part in judgement.parts if part.outcome == wanted]
    order += [part for part in judgement.parts if part.ratio is not None]
    return [*order, judgement.parts[0]][0]


def _shown(contrast: Contrast, part: Part) -> tuple[float | None, tuple[float, float] | None]:
    if part.ratio is None:
        return None, None
    found = part.ratio
    if contrast.share:
        return 1 - 1 / found.estimate, (1 - 1 / found.low, 1 - 1 / found.high)
    return found.estimate, (found.low, found.high)


def thin(notes: dict[str, Any]) -> dict[str, Any]:
    """Notes with their long lists thinned out evenly: a picture of a series needs no ten thousand points."""
    return {
        name: [value[int(i * len(value) / LONGEST_LIST)] for i in range(LONGEST_LIST)]
        if isinstance(value, list) and len(value) > LONGEST_LIST
        else value
        for name, value in notes.items()
    }


def to_json(result: LabResult) -> bytes:
    return msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"


def from_json(data: bytes) -> LabResult:
    """Raises `ValueError` with a reason."""
    try:
        result = msgspec.json.decode(data, type=LabResult)
    except msgspec.DecodeError as error:
        raise ValueError(f"not the result of a lab: {error}") from None
    if result.schema != SCHEMA:
        raise ValueError(f"schema {result.schema}, this headstart reads schema {SCHEMA}")
    return result
