"""Building Keras models: constructing layers and models, symbolic calls, first builds; and eager model calls."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ...record.signals import MODEL_BUILD, MODEL_CALL
from ..bus import Bus, Open
from ..sites import is_user_frame, short, site_and_callee
from ._tools import put_in, state

_KERAS = ("keras", "tf_keras", "tensorflow")
"""Through these a line makes or calls a layer itself; another package builds a model or a part of one for it."""
LAYERS = 20_000
"""Lines of so many layers are remembered."""


def install(bus: Bus, module: Any) -> None:
    name = module.__name__
    if name.endswith("functional"):
        _building(bus, module.Functional, "__init__", "Functional")
    elif name.endswith("sequential"):
        _building(bus, module.Sequential, "_maybe_rebuild", "Sequential")
        _building(bus, module.Sequential, "build", "Sequential.build")
    else:
        _building(bus, module.Layer, "__init__", None, note=_note_home)
        _weights(bus, module.Layer)
        _building(bus, module.Layer, "_maybe_build", None, unless_built=True)
        _calls(bus, module.Layer)


def _building(
    bus: Bus,
    owner: Any,
    method: str,
    label: str | None,
    unless_built: bool = False,
    note: Callable[[Any], None] | None = None,
) -> None:
    def enter(self: Any) -> Open | None:
        try:
            if note is not None:
                note(self)
            # The outermost piece of building is the span; what happens inside it has its own probes.
            if state.building or state.tracing or (unless_built and self.built) or not bus.on_main():
                return None
            state.building += 1
            return bus.begin(MODEL_BUILD, label or type(self).__name__, _where(2))
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            state.building -= 1
            bus.end(span)

    put_in(bus, owner, method, enter, leave, arguments=("self",))


def _where(depth: int) -> dict[str, Any]:
    site, callee = site_and_callee(depth)
    attrs: dict[str, Any] = {"site": site} if site else {}
    package, _, inside = short(callee).partition(os.sep)
    if inside and (package not in _KERAS or f"{os.sep}applications{os.sep}" in inside):
        attrs["library"] = True
    return attrs


def _note_home(layer: Any) -> None:
    """Where a layer was made: its weights are created later, at a line that may be that of a whole model."""
    if state.tracing or len(state.homes) >= LAYERS:
        return
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        # In a class of the user's own, the line of its `super().__init__()` says nothing: the one above does.
        if is_user_frame(frame) and not (
            code.co_name == "__init__" and frame.f_locals.get(code.co_varnames[0]) is layer
        ):
            state.homes[id(layer)] = [code.co_filename, frame.f_lineno, code.co_name]
            return
        frame = frame.f_back


def _weights(bus: Bus, layer: Any) -> None:
    def enter(self: Any) -> int:
        before, state.adding = state.adding, id(self)
        return before

    def leave(before: int) -> None:
        state.adding = before

    put_in(bus, layer, "add_weight", enter, leave, arguments=("self",))


def _calls(bus: Bus, layer: Any) -> None:
    depth = [0]

    def enter(self: Any, args: Any, kwargs: Any) -> Open | None:
        if depth[0] or state.tracing or state.building or not bus.on_main():
            return None
        try:
            symbolic = any(type(value).__name__ == "KerasTensor" for value in _flat(args, kwargs))
            attrs = _where(2)
            kind = MODEL_BUILD if symbolic else MODEL_CALL
            if symbolic:
                state.building += 1
            else:
                attrs["layer"] = not hasattr(self, "train_step")
                attrs["model"] = id(self)
            depth[0] += 1
            return bus.begin(kind, type(self).__name__, attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            depth[0] -= 1
            if span[1] == MODEL_BUILD:
                state.building -= 1
            bus.end(span)

    put_in(bus, layer, "__call__", enter, leave, arguments=("self", "args", "kwargs"))


def _flat(args: Any, kwargs: Any) -> list[Any]:
    values: list[Any] = []
    for value in (*args[:2], *kwargs.values()):
        if isinstance(value, (list, tuple)):
            values.extend(value[:4])
        elif isinstance(value, dict):
            values.extend(list(value.values())[:4])
        else:
            values.append(value)
    return values
