"""Keys are labelled lists: equal when every label has the same value, and explainable when they are not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """Label and value, in order. Values are short text: a version, a number, a digest."""

    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, parts: Iterable[tuple[str, str]]) -> Key:
        return cls(tuple(parts))

    def hex(self) -> str:
        # JSON, so that no two different lists can be written the same way.
        return hashlib.sha256(json.dumps(self.parts, ensure_ascii=True).encode()).hexdigest()

    def as_json(self) -> list[list[str]]:
        return [list(part) for part in self.parts]

    @classmethod
    def from_json(cls, parts: Iterable[Iterable[str]]) -> Key:
        pairs = [tuple(part) for part in parts]
        return cls(tuple((str(pair[0]), str(pair[1])) for pair in pairs))


@dataclass(frozen=True)
class Difference:
    """One label that makes two keys differ; ``None`` where one of them does not have it."""

    label: str
    before: str | None
    after: str | None

    def sentence(self) -> str:
        if self.before is None:
            return f"{self.label} is new: {self.after}"
        if self.after is None:
            return f"{self.label} is gone: it was {self.before}"
        return f"{self.label} was {self.before}, is {self.after}"


def differences(before: Key, after: Key) -> list[Difference]:
    """What makes ``after`` another key than ``before``, in the order of ``after``."""
    old, new = dict(before.parts), dict(after.parts)
    changed = [
        Difference(label, old.get(label), value) for label, value in after.parts if old.get(label) != value
    ]
    gone = [Difference(label, value, None) for label, value in before.parts if label not in new]
    return changed + gone
