"""The environment of this process: watched while packages are imported, replaced when a program starts."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any


class _Watched(dict[bytes, bytes]):
    """What `os.environ` keeps its variables in, telling who reads what."""

    told: Callable[[str, str | None], None]
    changed: list[bytes]
    own: set[bytes]
    """Written since: reading these back says nothing about the caller's environment."""

    def __getitem__(self, key: bytes) -> bytes:
        value = self.get(key)
        if key not in self.own:
            self.told(os.fsdecode(key), None if value is None else os.fsdecode(value))
        return dict.__getitem__(self, key)

    def __setitem__(self, key: bytes, value: bytes) -> None:
        self.changed.append(key)
        self.own.add(key)
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: bytes) -> None:
        dict.__delitem__(self, key)
        self.changed.append(key)
        self.own.add(key)


class Spy:
    """Sees every read and write of `os.environ` by Python code until it is removed."""

    def __init__(self, watched: _Watched) -> None:
        self._watched = watched
        self._before = dict(watched)

    @classmethod
    def install(cls, told: Callable[[str, str | None], None]) -> Spy:
        inside: Any = os.environ
        watched = _Watched(inside._data)
        watched.told, watched.changed, watched.own = told, [], set()
        inside._data = watched
        if hasattr(os, "environb"):
            os.environb._data = watched  # type: ignore[attr-defined]
        return cls(watched)

    def written(self) -> list[tuple[str, str | None]]:
        """What was set or removed since the last call."""
        changed, self._watched.changed = self._watched.changed, []
        found = []
        for key in dict.fromkeys(changed):
            value = self._watched.get(key)
            found.append((os.fsdecode(key), None if value is None else os.fsdecode(value)))
        return found

    def remove(self) -> None:
        """Stop watching, and undo what was written."""
        replace(self._before)


def put(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def replace(variables: dict[bytes, bytes]) -> None:
    """Give this process another environment, for Python and for C, in the order given. `os.environ` stays the
    object that it is: modules hold on to it."""
    data = dict(variables)
    inside: Any = os.environ
    inside._data = data
    inside_bytes: Any = os.environb
    inside_bytes._data = data
    libc = ctypes.CDLL(None)
    libc.clearenv()
    for name, value in data.items():
        os.putenv(name, value)
