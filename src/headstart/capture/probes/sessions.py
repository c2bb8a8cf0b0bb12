"""TF1-style sessions: each run, how large its graph is, and whether this request was run before."""

from __future__ import annotations

import time
from typing import Any

from ...record.signals import SESSION_RUN
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in


def install(bus: Bus, module: Any) -> None:
    seen: set[Any] = set()
    sizes: dict[int, int] = {}
    cpu_now = time.thread_time_ns

    def enter(self: Any, fetches: Any, feed_dict: Any) -> Open | None:
        if not bus.on_main():
            return None
        try:
            graph = self._graph
            number = id(graph)
            ops = int(graph.version)
            label = _label(fetches)
            request = (number, label, tuple(sorted(_name(k) for k in feed_dict)) if feed_dict else ())
            attrs: dict[str, Any] = {
                "graph": number,
                "ops": ops,
                "added": ops - sizes.get(number, 0),
                "first": request not in seen,
                "cpu": cpu_now(),
            }
            sizes[number] = ops
            seen.add(request)
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
            return bus.begin(SESSION_RUN, label, attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            span[3]["cpu"] = cpu_now() - span[3]["cpu"]
            bus.end(span)
            bus.first_step_done = True

    put_in(bus, module.BaseSession, "run", enter, leave, arguments=("self", "fetches", "feed_dict"))


def _label(fetches: Any) -> str:
    if isinstance(fetches, (list, tuple)):
        return ",".join(_label(item) for item in fetches[:8])[:200]
    if isinstance(fetches, dict):
        return ",".join(_label(item) for item in list(fetches.values())[:8])[:200]
    return _name(fetches)


def _name(item: Any) -> str:
    return str(getattr(item, "name", None) or type(item).__name__)[:80]
