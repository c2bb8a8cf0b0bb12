"""From measurements to a verdict: pure functions, the same for every claim.

Each block of runs holds one run of every arm, made next to each other, so that a machine that is busy for a
minute slows both sides down: the ratio is taken within the block, and the interval over the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..analyse.resample import FEWEST_RUNS, effect
from ..analyse.stats import median
from .claim import Claim, Contrast, Quantity, Runs
from .environment import NEEDS

HOLDS, PARTLY, FAILS, ABSENT = "holds", "holds when", "does not hold", "not measurable here"
VERDICTS = (HOLDS, PARTLY, FAILS, ABSENT)
CEILING = 1e9
"""A ratio to nothing: large, but still a number that can be drawn and averaged."""


class Ratio(NamedTuple):
    """`slow` over `fast`, with its interval."""

    estimate: float
    low: float
    high: float
    blocks: int


class Part(NamedTuple):
    """One contrast as it came out."""

    contrast: Contrast
    outcome: str
    """"holds" | "does not hold" | "open" (the interval leaves both possible) | "absent" (not measured)."""
    ratio: Ratio | None
    slow: float | None
    fast: float | None


class Judgement(NamedTuple):
    verdict: str
    condition: str
    """After "holds when": under which conditions. After "not measurable here": why."""
    parts: tuple[Part, ...]


def judge(claim: Claim, runs: Runs, absent: Collection[str] = (), seed: int = 0) -> Judgement:
    """The verdict that follows from these measurements. `absent`: what this machine does not have."""
    parts = tuple(look(contrast, runs, absent, seed) for contrast in claim.contrasts)
    verdict, condition = _whole(claim, parts) if claim.rule == "all" else _conditions(parts)
    return Judgement(verdict, condition, parts)


def look(contrast: Contrast, runs: Runs, absent: Collection[str] = (), seed: int = 0) -> Part:
    """One contrast."""
    if contrast.needs in absent and contrast.needs:
        return Part(contrast, "absent", None, None, None)
    slow, fast = values(contrast.slow, runs), values(contrast.fast, runs)
    found = ratio(slow, fast, seed)
    if found is None:
        return Part(contrast, "absent", None, None, None)
    return Part(contrast, decide(found, contrast), found, median(slow), median(fast))


def values(quantity: Quantity, runs: Runs) -> list[float]:
    found = [quantity.read(notes) for notes in runs.get(quantity.arm, ())]
    if quantity.plus is None:
        return found
    return [one + other for one, other in zip(found, values(quantity.plus, runs), strict=False)]


def ratio(slow: Sequence[float], fast: Sequence[float], seed: int = 0) -> Ratio | None:
    """slow/fast block by block: trimmed mean and bootstrap interval; the range where blocks are few or alike."""
    blocks = min(len(slow), len(fast))
    if blocks == 0:
        return None
    each = [_over(a, b) for a, b in zip(slow, fast, strict=False)]
    found = effect([1.0] * blocks, each, seed=seed) if blocks >= FEWEST_RUNS else None
    if found is None or found.ratio is None:
        return Ratio(median(each), min(each), max(each), blocks)
    return Ratio(*found.ratio, blocks)


def _over(a: float, b: float) -> float:
    if math.isinf(b):
        return 1 / CEILING if not math.isinf(a) else 1.0
    if b <= 0 or math.isinf(a):
        return CEILING
    return min(max(a / b, 1 / CEILING), CEILING)


def decide(found: Ratio, contrast: Contrast) -> str:
    """Clearly above, clearly below, or open."""
    if found.estimate >= contrast.holds_from and found.low >= contrast.fails_below:
        return HOLDS
    if found.estimate <= contrast.fails_below and found.high <= contrast.holds_from:
        return FAILS
    return "open"


def _whole(claim: Claim, parts: Sequence[Part]) -> tuple[str, str]:
    """Every part must hold."""
    outcomes = [part.outcome for part in parts]
    if FAILS in outcomes:
        return FAILS, ""
    if "absent" in outcomes:
        return ABSENT, _missing(parts)
    if "open" in outcomes:
        return ABSENT, _noise(parts)
    return HOLDS, ""


def _conditions(parts: Sequence[Part]) -> tuple[str, str]:
    """Each part is a condition; those that were not measured leave the verdict to the others."""
    held = [part.contrast.when for part in parts if part.outcome == HOLDS]
    failed = [part for part in parts if part.outcome == FAILS]
    unclear = [part for part in parts if part.outcome == "open"]
    if held and not failed and not unclear:
        return HOLDS, ""
    if held:
        return PARTLY, " or ".join(held)
    if unclear:
        return ABSENT, _noise(parts)
    if failed and not any(part.outcome == "absent" and part.contrast.decisive for part in parts):
        return FAILS, ""
    return ABSENT, _missing(parts)


def _missing(parts: Sequence[Part]) -> str:
    needs = sorted({part.contrast.needs for part in parts if part.outcome == "absent"} - {""})
    return (
        f"needs {' and '.join(NEEDS.get(need, need) for need in needs)}" if needs else "nothing was measured"
    )


def _noise(parts: Sequence[Part]) -> str:
    part = next(part for part in parts if part.outcome == "open")
    assert part.ratio is not None
    low, high = part.ratio.low, part.ratio.high
    return (
        f"the interval of {low:.2f}× to {high:.2f}× leaves it open (holds from {part.contrast.holds_from:g}×, "
        f"fails below {part.contrast.fails_below:g}×): more runs on a quieter machine"
    )
