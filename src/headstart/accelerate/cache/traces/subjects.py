"""The last state in which each function was kept: to say, when nothing fits, what has changed since."""

from __future__ import annotations

import hashlib
import itertools
import json

from .. import differences
from ..fingerprint import Walk
from ..key import Key
from ..key import differences as key_differences
from ..store import Store
from .subject import Subject

KIND = "subjects"
_STATE = "state"


def remember(store: Store, program: str, subject: Subject, key: Key, walk: Walk) -> None:
    store.put(
        KIND, _key(program, subject), {"labels": key.as_json()}, {"walk": differences.pack(walk.tokens())}
    )


def why_missed(store: Store, program: str, subject: Subject, key: Key, walk: Walk) -> str:
    """In a few words, or nothing when this function was never kept."""
    found = store.get(KIND, _key(program, subject))
    if found is None:
        return ""
    try:
        changed = key_differences(Key.from_json(found.header["labels"]), key)
        reasons = [one.sentence() for one in changed if one.label != _STATE]
        if not reasons:
            before = differences.unpack(found.sections["walk"])
            reasons = list(itertools.islice(differences.explain(before, walk.tokens()), 3))
    except (KeyError, ValueError):
        return ""
    return "; ".join(reasons)


def _key(program: str, subject: Subject) -> str:
    """The function by its place, and how it is called; not by what it holds, since that is what may change. Keras'
    own functions are those of every program."""
    text = json.dumps([program, *subject.place(), subject.name])
    return hashlib.sha256(text.encode()).hexdigest()
