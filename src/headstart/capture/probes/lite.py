"""LiteRT (formerly TensorFlow Lite): making an interpreter ready, and each run of it."""

from __future__ import annotations

from typing import Any

from ...record.signals import LITE_RUN, LITE_SETUP
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in, span_around


def install(bus: Bus, module: Any) -> None:
    interpreter = module.Interpreter
    span_around(bus, interpreter, "__init__", LITE_SETUP, "load", when=bus.on_main)
    span_around(bus, interpreter, "allocate_tensors", LITE_SETUP, when=bus.on_main)

    def enter() -> Open | None:
        if not bus.on_main():
            return None
        try:
            site = user_site(1)
            return bus.begin(LITE_RUN, "invoke", {} if site is None else {"site": site})
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            bus.end(span)
            bus.first_step_done = True

    put_in(bus, interpreter, "invoke", enter, leave, arguments=())
    # Models with signatures are run without `invoke`.
    put_in(bus, module.SignatureRunner, "__call__", enter, leave, arguments=())
