"""Calls of concrete functions from eager code: signatures of a SavedModel, `get_concrete_function` results."""

from __future__ import annotations

from typing import Any

from ...record.signals import CALL, FIT
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in, state


def install(bus: Bus, module: Any) -> None:
    def enter(self: Any) -> Open | None:
        # Under a tf.function's own call or inside a trace it is part of that.
        if state.tracing or state.calling or not bus.on_main():
            return None
        try:
            name = self.name
            text = name.decode() if isinstance(name, bytes) else str(name)
            # The running number at the end differs from process to process.
            plain = text.removeprefix("__inference_").rstrip("0123456789").rstrip("_")
            attrs: dict[str, Any] = {"fn": 0, "code": f"concrete:{plain}"}
            if state.fitting:
                attrs["under"] = FIT
            else:
                site = user_site(1)
                if site is not None:
                    attrs["site"] = site
            state.calling += 1
            return bus.begin(CALL, plain, attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            state.calling -= 1
            bus.end(span)
            bus.first_step_done = True

    put_in(bus, module.ConcreteFunction, "__call__", enter, leave, arguments=("self",))
