"""Claims, arms and measurements for tests that run nothing."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from headstart.lab.claim import Arm, Claim, Contrast, Examples, Notes, Twin
from headstart.lab.quantities import noted, wall

DOC = """\
Slow is slower than fast.

## What is measured
Both.

## What happens
It is so.

## What headstart does
Nothing.
"""


def contrast(**changes: Any) -> Contrast:
    settings: dict[str, Any] = {
        "slow": noted("slow", "seconds", "the slow one"),
        "fast": noted("fast", "seconds", "the fast one"),
        "holds_from": 2.0,
        "fails_below": 1.5,
        **changes,
    }
    return Contrast(**settings)


def claim(**changes: Any) -> Claim:
    settings: dict[str, Any] = {
        "id": "C99",
        "slug": "slow-is-slower",
        "doc": DOC,
        "documents": ("000",),
        "arms": (Arm(name="slow", program="1\n"), Arm(name="fast", program="2\n")),
        "contrasts": (contrast(),),
        "twin": Twin("slow", "all of it", "seconds", wall),
        "examples": Examples(
            holds={"slow": {"seconds": 3.0}, "fast": {"seconds": 1.0}},
            fails={"slow": {"seconds": 1.0}, "fast": {"seconds": 1.0}},
        ),
        **changes,
    }
    return Claim(**settings)


def runs(example: Mapping[str, Notes], count: int = 5, seed: int = 1) -> dict[str, list[Notes]]:
    """Some runs that all look like the example, a per cent of noise apart."""
    rng = random.Random(seed)
    return {arm: [_noisy(notes, rng) for _ in range(count)] for arm, notes in example.items()}


def _noisy(notes: Notes, rng: random.Random) -> dict[str, Any]:
    return {name: _shaken(value, rng) for name, value in notes.items()}


def _shaken(value: Any, rng: random.Random) -> Any:
    if isinstance(value, list):
        return [_shaken(item, rng) for item in value]
    return value * rng.uniform(0.99, 1.01) if isinstance(value, float) else value


def mixed(claim: Claim, count: int = 6) -> dict[str, list[Notes]]:
    """Runs that look now like one example and now like the other: nothing can be said."""
    holds, fails = runs(claim.examples.holds, count), runs(claim.examples.fails, count)
    return {arm: [(holds if index % 2 else fails)[arm][index] for index in range(count)] for arm in holds}
