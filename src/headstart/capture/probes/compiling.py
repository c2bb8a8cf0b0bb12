"""Keras `Model.compile`, the symbolic build that comes before the first batch, and models switched to eager."""

from __future__ import annotations

from typing import Any

from ...record.signals import COMPILE, EAGER_MODEL, FIT_SETUP
from ..bus import Bus
from ..sites import user_site
from ._tools import put_in, span_around


def install(bus: Bus, module: Any) -> None:
    span_around(
        bus,
        module.Trainer,
        "compile",
        COMPILE,
        describe=lambda self, run_eagerly, jit_compile: {
            "model": id(self),
            "name": type(self).__name__,
            "eager": bool(run_eagerly),
            "jit": jit_compile if isinstance(jit_compile, bool) else str(jit_compile),
        },
        arguments=("self", "run_eagerly", "jit_compile"),
    )
    span_around(bus, module.Trainer, "_symbolic_build", FIT_SETUP, label="symbolic-build")
    _switch(bus, module.Trainer)


def _switch(bus: Bus, trainer: Any) -> None:
    """`model.run_eagerly = True` after `compile` is the same switch, at another line."""

    def enter(self: Any, value: Any) -> None:
        try:
            if value:
                bus.mark(EAGER_MODEL, type(self).__name__, {"model": id(self), "site": user_site(1)})
        except Exception:
            pass

    switch = trainer.__dict__.get("run_eagerly")
    put_in(bus, switch, "fset", enter, lambda token: None, arguments=("self", "value"))
