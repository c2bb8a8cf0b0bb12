"""The switches that make every tf.function, or every function of a data set, run eagerly."""

from __future__ import annotations

from typing import Any

from ...record.signals import DATA_DEBUG, RUN_EAGERLY
from ..bus import Bus
from ..sites import user_site
from ._tools import put_in


def install(bus: Bus, module: Any) -> None:
    if module.__name__.endswith("debug_mode"):
        _switch(bus, module, "toggle_debug_mode", "debug_mode", DATA_DEBUG, "datasets")
    else:
        _switch(bus, module, "run_functions_eagerly", "run_eagerly", RUN_EAGERLY, "functions")


def _switch(bus: Bus, module: Any, function: str, argument: str, kind: str, label: str) -> None:
    def enter(value: Any) -> None:
        try:
            bus.mark(kind, label, {"on": bool(value), "site": user_site(1)})
        except Exception:
            pass

    put_in(bus, module, function, enter, lambda token: None, arguments=(argument,))
