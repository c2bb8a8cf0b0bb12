"""Keras `Model.compile`, and the symbolic build that comes before the first batch."""

from __future__ import annotations

from typing import Any

from ...record.signals import COMPILE, FIT_SETUP
from ..bus import Bus
from ._tools import span_around


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
