"""Keras optimizers: creating the slot variables, and eager updates."""

from __future__ import annotations

from typing import Any

from ...record.signals import APPLY_GRADIENTS, OPTIMIZER_BUILD
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in, state


def install(bus: Bus, module: Any) -> None:
    _builds(bus, module.BaseOptimizer)
    _updates(bus, module.BaseOptimizer)


def _builds(bus: Bus, optimizer: Any) -> None:
    # Each optimizer class overrides `build` and calls this one; the subclass adds its slots afterwards. So the
    # slots themselves are seen where they are added.
    def around(method: str, argument: str) -> None:
        def enter(self: Any, values: Any) -> Open | None:
            try:
                if not bus.on_main() or (bus.stack and bus.stack[-1][1] == OPTIMIZER_BUILD):
                    return None
                site = user_site(1)
                attrs: dict[str, Any] = {"variables": len(values), "optimizer": id(self), "step": method}
                if site is not None:
                    attrs["site"] = site
                return bus.begin(OPTIMIZER_BUILD, type(self).__name__, attrs)
            except Exception:
                return None

        leave = _end(bus)
        put_in(bus, optimizer, method, enter, leave, arguments=("self", argument))

    around("build", "variables")
    around("add_optimizer_variables", "trainable_variables")


def _updates(bus: Bus, optimizer: Any) -> None:
    def enter(self: Any) -> Open | None:
        if state.tracing or not bus.on_main():
            return None
        try:
            site = user_site(1)
            attrs: dict[str, Any] = {"optimizer": id(self)}
            if site is not None:
                attrs["site"] = site
            return bus.begin(APPLY_GRADIENTS, type(self).__name__, attrs)
        except Exception:
            return None

    put_in(bus, optimizer, "apply", enter, _end(bus), arguments=("self",))


def _end(bus: Bus) -> Any:
    return lambda span: None if span is None else bus.end(span)
