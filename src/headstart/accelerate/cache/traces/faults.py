"""When an operation of a kept graph fails, TensorFlow says in which line it was made.

The kept graph does not know; so the function is traced, then and only then, and its trace is asked.
"""

from __future__ import annotations

import re
import sys
import weakref
from collections.abc import Callable
from typing import Any

from . import naming

_class: Any = None
_NUMBER = re.compile(r"(_hs[0-9a-f]{16})?_\d+$")


def atomic_class() -> Any:
    """Made when first needed, since its base class is TensorFlow's."""
    global _class
    if _class is not None:
        return _class
    from tensorflow.python.eager.polymorphic_function import atomic_function
    from tensorflow.python.framework import errors

    class KeptAtomicFunction(atomic_function.AtomicFunction):  # type: ignore[misc]
        """A function of the runtime that came from the store."""

        headstart_traced: Callable[[], Any] | None = None
        headstart_owner: Any = None

        @property
        def children(self) -> Any:
            # All functions of an entry lie side by side, whichever calls which.
            owner = self.headstart_owner() if self.headstart_owner is not None else None
            return owner.children if owner is not None else self._children

        @property
        def graph_debug_info(self) -> Any:
            # The end of the data is no fault, and comes with every epoch.
            if isinstance(sys.exc_info()[1], errors.OutOfRangeError):
                return super().graph_debug_info
            try:
                return _same_in(self._headstart_trace(), naming.name_of(self)).graph_debug_info
            except Exception:  # then the message has no lines
                return super().graph_debug_info

        def _headstart_trace(self) -> Any:
            owner: Any = self.headstart_owner() if self.headstart_owner is not None else self
            return owner.headstart_traced()._inference_function

    _class = KeptAtomicFunction
    return _class


def connect(atomic: Any, traced: Callable[[], Any]) -> None:
    """``traced()`` gives the concrete function of a real trace."""
    atomic.headstart_traced = traced
    owner = weakref.ref(atomic)
    for child in atomic._children:
        child.headstart_owner = owner


def _same_in(traced: Any, name: str) -> Any:
    wanted = _base(name)
    pending, seen = [traced], set[int]()
    while pending:
        one = pending.pop(0)
        if _base(naming.name_of(one)) == wanted:
            return one
        if id(one) not in seen:
            seen.add(id(one))
            pending.extend(child for child in one.children if hasattr(child, "graph_debug_info"))
    raise LookupError(wanted)


def _base(name: str) -> str:
    return _NUMBER.sub("", name)
