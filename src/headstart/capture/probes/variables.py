"""Creating variables: the initializer, the size, and the user's line."""

from __future__ import annotations

from typing import Any

from ...record.signals import VARIABLE_INIT
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in, size_of, state

deferred: dict[int, Any] = {}
"""id of a Keras variable that has no value yet → the line that made its layer."""


def install(bus: Bus, module: Any) -> None:
    if module.__name__.endswith("backend.tensorflow.core"):
        _later(bus, module.Variable)
        return
    open_now = [0]

    def begin(initializer: Any, shape: Any, dtype: Any) -> Open | None:
        # The outermost creation counts: a Keras variable makes a TensorFlow one inside.
        if open_now[0] or _inside(bus) or not bus.on_main():
            return None
        attrs: dict[str, Any] = {}
        if shape is not None:
            attrs["shape"] = _dimensions(shape)
            attrs["bytes"] = size_of(attrs["shape"], dtype or "float32")
        site = user_site(2)
        if site is not None:
            attrs["site"] = site
        home = state.homes.get(state.adding)
        if home is not None:
            attrs["made"] = home
        if state.tracing:
            attrs["traced"] = True
        open_now[0] += 1
        return bus.begin(VARIABLE_INIT, _name(initializer), attrs)

    def leave(token: tuple[Open, Any] | None) -> None:
        if token is None:
            return
        span, variable = token
        open_now[0] -= 1
        try:
            if getattr(variable, "_value", span) is None:
                # Made while Keras finds out the shapes of a model without `build`: nothing is initialised here.
                deferred[id(variable)] = span[3].get("made")
                bus.drop(span)
                return
            if not span[3].get("bytes"):
                span[3]["shape"] = [int(d) for d in variable.shape]
                span[3]["bytes"] = size_of(span[3]["shape"], variable.dtype)
        except Exception:
            pass
        bus.end(span)

    if module.__name__.startswith("keras"):

        def enter_keras(self: Any, initializer: Any, shape: Any, dtype: Any) -> tuple[Open, Any] | None:
            try:
                span = begin(initializer, shape, dtype)
                return None if span is None else (span, self)
            except Exception:
                return None

        for cls in (getattr(module, "Variable", None), getattr(module, "KerasVariable", None)):
            if cls is not None:
                names = ("self", "initializer", "shape", "dtype")
                put_in(bus, cls, "__init__", enter_keras, leave, arguments=names)
                break
        return

    def enter_tf(self: Any, initial_value: Any) -> tuple[Open, Any] | None:
        try:
            span = begin(initial_value, None, None)
            return None if span is None else (span, self)
        except Exception:
            return None

    put_in(bus, module.ResourceVariable, "__init__", enter_tf, leave, arguments=("self", "initial_value"))


def _later(bus: Bus, variable: Any) -> None:
    """Variables that were made before they could have a value get it all at once, at the line of the first call."""

    def enter(self: Any) -> Open | None:
        made = deferred.pop(id(self), None)
        if _inside(bus) or not bus.on_main():
            return None
        try:
            shape = _dimensions(self._shape)
            attrs: dict[str, Any] = {"shape": shape, "bytes": size_of(shape, self._dtype)}
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
            if made is not None:
                attrs["made"] = made
            if state.tracing:
                attrs["lifted"] = True  # Keras leaves the graph for it: the values are computed here
            return bus.begin(VARIABLE_INIT, _name(self._initializer), attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            bus.end(span)

    put_in(bus, variable, "_deferred_initialize", enter, leave, arguments=("self",))


def _dimensions(shape: Any) -> list[int]:
    # A tuple, a list, or TensorFlow's own shape type; an int is a vector's length.
    values = (shape,) if isinstance(shape, int) else tuple(shape)
    return [int(d) for d in values if d is not None]


def _inside(bus: Bus) -> bool:
    stack = bus.stack
    return bool(stack) and stack[-1][1] == VARIABLE_INIT


def _name(initializer: Any) -> str:
    if initializer is None:
        return "none"
    if isinstance(initializer, str):
        return initializer
    owner = getattr(initializer, "__self__", None)
    name = getattr(initializer, "__name__", None)
    if owner is not None and not isinstance(owner, type):
        return type(owner).__name__
    if isinstance(name, str) and name != "<lambda>":
        return name
    return "value" if hasattr(initializer, "dtype") else type(initializer).__name__
