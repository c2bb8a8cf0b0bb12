"""Which classes were said to be of which kind: ``Sequence.register(Mine)`` changes what ``isinstance`` answers."""

from __future__ import annotations

import _abc  # type: ignore[import-not-found]
import abc
import sys
from typing import Any

from . import origin


def registered(kind: type) -> list[type]:
    """The classes that were registered with this one, in a stable order."""
    if not isinstance(kind, abc.ABCMeta):
        return []
    found = (reference() for reference in _abc._get_dump(kind)[0])
    return sorted((heir for heir in found if heir is not None), key=lambda k: (k.__module__, k.__qualname__))


def registered_with_python() -> list[tuple[str, Any]]:
    """Classes of the program's that were registered with the kinds of Python's own."""
    return [
        (f"{name}.{kind.__qualname__}", heir)
        for name in ("collections.abc", "numbers")
        if (module := sys.modules.get(name)) is not None
        for kind in vars(module).values()
        if isinstance(kind, abc.ABCMeta)
        for heir in registered(kind)
        if origin.is_program_class(heir)
    ]
