"""The switch that makes every tf.function run eagerly."""

from __future__ import annotations

from typing import Any

from ...record.signals import RUN_EAGERLY
from ..bus import Bus
from ..sites import user_site
from ._tools import put_in


def install(bus: Bus, module: Any) -> None:
    def enter(run_eagerly: Any) -> None:
        try:
            site = user_site(1)
            bus.mark(RUN_EAGERLY, "functions", {"on": bool(run_eagerly), "site": site})
        except Exception:
            pass

    put_in(bus, module, "run_functions_eagerly", enter, lambda token: None, arguments=("run_eagerly",))
