"""Functions whose traces are not worth an entry: remembered, so that the next run does not even look at them."""

from __future__ import annotations

import hashlib
import json
import time

from .. import environment
from ..fingerprint import bytecode, origin
from ..store import Store
from .subject import Subject, code_of

KIND = "small"
#: After that long it is looked at again: what it calls may have become large.
_SECONDS = 86400.0


def remember(store: Store, subject: Subject, seconds: float) -> None:
    key = _key(subject)
    if key is not None:
        store.put(KIND, key, {"seconds": seconds, "time": time.time()})


def seconds_of(store: Store, subject: Subject) -> float | None:
    """How long its trace took, where that was too short to be kept."""
    try:
        key = _key(subject)
        if key is None or not store.path(KIND, key).exists():
            return None
        found = store.get(KIND, key)
        if found is None or abs(time.time() - float(found.header["time"])) > _SECONDS:
            return None
        return float(found.header["seconds"])
    except (KeyError, TypeError, ValueError):
        return None


def _key(subject: Subject) -> str | None:
    """By the function's own code and the number of its arguments. That it is wrong costs time, nothing else. Not for a
    library's: Keras has one function for all models.
    """
    code = code_of(subject.function._python_function)
    if code is None or origin.of_file(code.co_filename) != origin.USER:
        return None
    count = len(subject.function_type.parameters)
    parts = [
        *subject.place(),
        subject.name,
        bytecode.content_digest(code),
        count,
        environment.process_parts(),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
