"""The claims that exist: every file in `claims/`, found by walking the folder."""

from __future__ import annotations

from functools import lru_cache

from .. import one_a_file
from . import claims as folder
from .claim import Claim, validate


@lru_cache(maxsize=1)
def all_claims() -> tuple[Claim, ...]:
    return one_a_file.walk(folder, Claim, _name, validate)


def find_claim(name: str) -> Claim | None:
    return one_a_file.find(name, all_claims(), _name)


def _name(claim: Claim) -> str:
    return claim.id
