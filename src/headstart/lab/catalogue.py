"""The claims that exist: every file in `claims/`, found by walking the folder."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from . import claims as folder
from .claim import Claim, ClaimError, validate


@lru_cache(maxsize=1)
def all_claims() -> tuple[Claim, ...]:
    """Every claim, by id. A file without a claim, or two claims with one name, is an error in headstart."""
    found: list[Claim] = []
    for module in pkgutil.iter_modules(folder.__path__):
        loaded = importlib.import_module(f"{folder.__name__}.{module.name}")
        claim = getattr(loaded, "CLAIM", None)
        if not isinstance(claim, Claim):
            raise ClaimError(f"{module.name}: no CLAIM in it")
        validate(claim, module.name)
        if module.name != f"{claim.id}_{claim.slug}".lower().replace("-", "_"):
            raise ClaimError(f"{module.name}: the file is not named after {claim.id} {claim.slug}")
        found.append(claim)
    for attribute in ("id", "slug"):
        names = [getattr(claim, attribute) for claim in found]
        double = next((name for name in names if names.count(name) > 1), None)
        if double:
            raise ClaimError(f"two claims are called {double}")
    return tuple(sorted(found, key=lambda claim: claim.id))


def find_claim(name: str) -> Claim | None:
    """By id or slug, however it is written."""
    wanted = name.strip().lower()
    for claim in all_claims():
        if wanted in (claim.id.lower(), claim.slug):
            return claim
    return None
