"""Building Keras models: constructing layers and models, symbolic calls, first builds; and eager model calls."""

from __future__ import annotations

from typing import Any

from ...record.signals import MODEL_BUILD, MODEL_CALL
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in, state


def install(bus: Bus, module: Any) -> None:
    name = module.__name__
    if name.endswith("functional"):
        _building(bus, module.Functional, "__init__", "Functional")
    elif name.endswith("sequential"):
        _building(bus, module.Sequential, "_maybe_rebuild", "Sequential")
        _building(bus, module.Sequential, "build", "Sequential.build")
    else:
        _building(bus, module.Layer, "__init__", None)
        _building(bus, module.Layer, "_maybe_build", None, unless_built=True)
        _calls(bus, module.Layer)


def _building(bus: Bus, owner: Any, method: str, label: str | None, unless_built: bool = False) -> None:
    def enter(self: Any) -> Open | None:
        # The outermost piece of building is the span; what happens inside it has its own probes.
        if state.building or state.tracing or (unless_built and self.built) or not bus.on_main():
            return None
        try:
            state.building += 1
            site = user_site(1)
            return bus.begin(MODEL_BUILD, label or type(self).__name__, {"site": site} if site else None)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            state.building -= 1
            bus.end(span)

    put_in(bus, owner, method, enter, leave, arguments=("self",))


def _calls(bus: Bus, layer: Any) -> None:
    depth = [0]

    def enter(self: Any, args: Any, kwargs: Any) -> Open | None:
        if depth[0] or state.tracing or state.building or not bus.on_main():
            return None
        try:
            symbolic = any(type(value).__name__ == "KerasTensor" for value in _flat(args, kwargs))
            site = user_site(1)
            attrs: dict[str, Any] = {"site": site} if site else {}
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
