"""Gradients: built into a graph while tracing, or computed step by step in eager code."""

from __future__ import annotations

from typing import Any

from ...record.signals import GRADIENT, TAPE_GRADIENT
from ..bus import Bus, Open, now
from ..sites import user_site
from ._tools import put_in, state


def install(bus: Bus, module: Any) -> None:
    if module.__name__.endswith("gradients_util"):
        put_in(
            bus,
            module,
            "_GradientsHelper",
            lambda: bus.begin(GRADIENT, "tf.gradients") if bus.on_main() else None,
            lambda span: None if span is None else bus.end(span),
            arguments=(),
        )
        return
    _tape(bus, module.GradientTape)


def _tape(bus: Bus, tape_class: Any) -> None:
    opened: dict[int, tuple[int, list[object] | None]] = {}
    numbers: dict[int, int] = {}
    count = [0]

    def enter_with(self: Any) -> None:
        if state.tracing == 0 and bus.on_main():
            count[0] += 1
            numbers[id(self)] = count[0]
            opened[id(self)] = (now(), user_site(1))

    put_in(bus, tape_class, "__enter__", enter_with, lambda token: None, arguments=("self",))

    def enter(self: Any) -> Open | None:
        if not bus.on_main():
            return None
        if state.tracing:
            return bus.begin(GRADIENT, "GradientTape.gradient")
        attrs: dict[str, Any] = {"tape": numbers.get(id(self), 0)}
        site = user_site(1)
        if site is not None:
            attrs["site"] = site
        where = opened.get(id(self))
        if where is not None:
            attrs["opened_ns"], attrs["opened"] = where
        if getattr(self, "_persistent", False):
            attrs["persistent"] = True
        return bus.begin(TAPE_GRADIENT, "gradient", attrs)

    def leave(span: Open | None) -> None:
        if span is not None:
            bus.end(span)
            if span[1] == TAPE_GRADIENT:
                bus.first_step_done = True

    put_in(bus, tape_class, "gradient", enter, leave, arguments=("self",))
