"""Keras models: each one that is made, and weights set from Python."""

from __future__ import annotations

from typing import Any

from ...record.signals import LOAD, MODEL_CREATED
from ..bus import Bus
from ..sites import site_of_making
from ._tools import put_in, span_around


def install(bus: Bus, module: Any) -> None:
    if module.__name__.endswith("layer"):
        span_around(
            bus,
            module.Layer,
            "set_weights",
            LOAD,
            describe=lambda weights: {"bytes": sum(int(getattr(w, "nbytes", 0)) for w in weights)},
            arguments=("weights",),
            when=bus.on_main,
        )
        return

    def enter(self: Any) -> None:
        try:
            if bus.on_main():
                site = site_of_making(self)
                attrs: dict[str, Any] = {"model": id(self)}
                if site is not None:
                    attrs["site"] = site
                bus.mark(MODEL_CREATED, type(self).__name__, attrs)
        except Exception:
            pass

    put_in(bus, module.Trainer, "__init__", enter, lambda token: None, arguments=("self",))
