"""AutoGraph converting a Python function's source (once per function; the result is cached by TensorFlow)."""

from __future__ import annotations

from typing import Any

from ...record.signals import AUTOGRAPH
from ..bus import Bus
from ._tools import span_around


def install(bus: Bus, module: Any) -> None:
    span_around(
        bus,
        module.GenericTranspiler,
        "transform_function",
        AUTOGRAPH,
        describe=lambda fn: {"name": getattr(fn, "__qualname__", "?")},
        arguments=("fn",),
    )
