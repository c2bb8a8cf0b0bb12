"""Keras' objects as they were before something was built ahead, for when the trace then fails.

Plain Keras would not have come as far, or leaves slots behind that nobody has filled. So all is put back, and what
fails is traced as without us.
"""

from __future__ import annotations

import collections
import random
import sys
from collections.abc import Iterable
from typing import Any

#: Whose objects may change while a model is built and called. (A variable's value does not, while it is traced.)
_LIBRARIES = (
    "keras.",
    "tensorflow.python.trackable.",
    "tensorflow.core.function.polymorphism.function_cache",
)


class Snapshot:
    """What the attributes and containers of some objects, and of all of Keras' that they lead to, hold now; and where
    the random generators are."""

    def __init__(self, functions: Iterable[Any], model: Any) -> None:
        self._attributes: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._containers: list[tuple[Any, Any, Any]] = []
        self._streams = _Streams()
        self._seen: dict[int, Any] = {}  # holds them, so that no id is given out twice
        pending: list[Any] = [model, *_keras_globals()]
        for function in functions:
            pending += self._take_attributes(function)
        natures: dict[type, tuple[Any, bool]] = {}
        while pending:
            value = pending.pop()
            if id(value) in self._seen:
                continue
            of = type(value)
            if of not in natures:
                natures[of] = (_container(of), _is_theirs(of))
            kind, theirs = natures[of]
            if kind is None and not theirs:
                continue
            self._seen[id(value)] = value
            if kind is not None:
                pending += self._take_content(value, kind)
            if theirs and hasattr(value, "__dict__"):
                pending += self._take_attributes(value)

    def _take_attributes(self, value: Any) -> list[Any]:
        space = vars(value)
        self._attributes.append((space, dict(space)))
        return list(space.values())

    def _take_content(self, value: Any, kind: Any) -> list[Any]:
        content = list(kind.items(value)) if issubclass(kind, dict) else list(kind.__iter__(value))
        if kind is not tuple:
            self._containers.append((value, kind, content))
        return [one[1] for one in content] if issubclass(kind, dict) else content

    def restore(self) -> None:
        for space, then in self._attributes:
            if space.keys() != then.keys() or any(space[name] is not then[name] for name in then):
                space.clear()
                space.update(then)
        # By the plain methods: those of Keras' own lists and sets keep books, which are put back themselves.
        for value, kind, content in self._containers:
            if kind is list:
                list.__setitem__(value, slice(None), content)
            else:
                kind.clear(value)
                kind.update(value, content)
        self._streams.restore()


def _container(kind: type) -> Any:
    """The built-in class that the content of such a container lies in."""
    return next((one for one in _CONTAINERS if one in kind.__mro__), None)


_CONTAINERS = (collections.OrderedDict, dict, list, set, tuple)


def _is_theirs(kind: type) -> bool:
    return not issubclass(kind, type) and f"{kind.__module__}.".startswith(_LIBRARIES)


def _keras_globals() -> list[Any]:
    module = sys.modules["keras.src.backend.common.global_state"]
    return [vars(getattr(module, name)) for name in ("GLOBAL_STATE_TRACKER", "GLOBAL_SETTINGS_TRACKER")]


class _Streams:
    def __init__(self) -> None:
        import numpy
        from tensorflow.python.eager import context

        self._python, self._numpy = random.getstate(), numpy.random.get_state()
        self._generator = getattr(context.context(), "_rng", None)
        self._tensorflow = self._generator.getstate() if self._generator is not None else None

    def restore(self) -> None:
        import numpy

        random.setstate(self._python)
        numpy.random.set_state(self._numpy)
        if self._generator is not None:
            self._generator.setstate(self._tensorflow)
