"""Several entries under one key: what a trace reads beside what is in its key (an environment variable, a file, the
state of a library) is known only after it ran, so each entry says what it read, and the one that fits is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from .entry import Entry
from .store import Store

#: More kinds of surroundings than this, and the oldest is given up.
_MOST = 16


def find(
    store: Store, kind: str, key: str, why_not: Callable[[dict[str, Any]], str | None]
) -> tuple[Entry | None, str]:
    """The entry whose surroundings are as they were, or ``None`` and why the newest does not fit."""
    listing = store.get(kind, key)
    reason = ""
    for variant in reversed(listing.header["variants"] if listing is not None else []):
        refused = why_not(variant["guards"])
        if refused is None:
            entry = store.get(kind, variant["key"])
            if entry is not None:
                return entry, ""
        else:
            reason = reason or refused
    return None, reason


def put(
    store: Store,
    kind: str,
    key: str,
    guards: dict[str, Any],
    header: dict[str, Any],
    sections: dict[str, bytes],
) -> bool:
    """Adds an entry for these surroundings. Two processes at once: one of them may have to do it again some day."""
    text = json.dumps(guards, sort_keys=True)
    own = hashlib.sha256(f"{key} {text}".encode()).hexdigest()
    if not store.put(kind, own, {**header, "guards": guards}, sections):
        return False
    listing = store.get(kind, key)
    before = listing.header["variants"] if listing is not None else []
    kept = [variant for variant in before if variant["key"] != own][-(_MOST - 1) :]
    return store.put(kind, key, {"variants": [*kept, {"key": own, "guards": guards}]})


def drop(store: Store, kind: str, key: str) -> None:
    """All entries under a key."""
    listing = store.get(kind, key)
    for variant in listing.header["variants"] if listing is not None else []:
        store.drop(kind, variant["key"])
    store.drop(kind, key)
