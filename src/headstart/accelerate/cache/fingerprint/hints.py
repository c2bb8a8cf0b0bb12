"""What ``typing`` makes: types that were put together of others."""

from __future__ import annotations

from typing import Any

from .plain import by_repr
from .walk import Walk

#: What such a type is made of: ``list[Mine]``, ``Annotated[float, 1.5]``, ``TypeVar("T", bound=Mine)``.
_PARTS = ("__origin__", "__args__", "__metadata__", "__bound__", "__constraints__", "__supertype__")


def hint(walk: Walk, value: Any) -> None:
    """Its text names classes; code that takes it apart has a hold of the classes themselves."""
    parts = [(name, getattr(value, name, None)) for name in _PARTS]
    if all(part is None for _, part in parts):
        by_repr(walk, value)
        return
    walk.emit(f"{type(value).__module__}.{type(value).__qualname__} {getattr(value, '__name__', '')}")
    for name, part in parts:
        if part is not None:
            walk.child("." + name, part)
