"""What the caches can do in this environment, for ``headstart doctor``. TensorFlow is not imported for it."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass

from . import folder as folders
from . import versions
from .store import Store


@dataclass(frozen=True)
class Status:
    """Whether the caches work here, why not, and what they hold."""

    works: bool
    reason: str
    folder: str
    entries: int
    bytes: int


def status() -> Status:
    reason = _versions_reason()
    try:
        path = folders.open_folder(folders.default_folder())
    except folders.RefusedFolder as problem:
        return Status(False, str(problem), str(folders.default_folder()), 0, 0)
    store = Store(path)
    entries = sum(1 for _ in store.entries())
    return Status(reason is None, reason or "", str(path), entries, store.total_bytes())


def _versions_reason() -> str | None:
    for names, known in (
        (("tensorflow", "tensorflow-cpu"), versions.TENSORFLOW),
        (("keras",), versions.KERAS),
    ):
        found = next((version for name in names if (version := _installed(name)) is not None), None)
        if found is None:
            return f"{names[0]} is not installed"
        if ".".join(found.split(".")[:2]) not in known:
            return f"{names[0]} {found} is not one of those that the caches know ({', '.join(known)})"
    return None


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
