"""TF1-style sessions: each run, how large its graph is, and whether this request was run before."""

from __future__ import annotations

import os
import sys
import time
from types import FrameType
from typing import Any

from ...record.signals import SESSION_RUN
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in
from .graphs import user_line

LOOKED_UP = (2, 3, 5, 9, 17, 33, 65)
"""Which of the runs that come after additions look up who added: enough for a loop, little for a long one."""


def install(bus: Bus, module: Any) -> None:
    seen: set[Any] = set()
    sizes: dict[int, int] = {}
    grown: dict[int, int] = {}
    cpu_now = time.thread_time_ns  # each run is timed: the cheaper clock will do

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
            if attrs["added"] > 0:
                grown[number] = grown.get(number, 0) + 1
                if grown[number] in LOOKED_UP:
                    attrs["by"] = _added_by(graph, attrs["added"])
            sizes[number] = ops
            seen.add(request)
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
            if _is_upkeep(sys._getframe(1).f_back):
                attrs["library"] = True
            return bus.begin(SESSION_RUN, label, attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            span[3]["cpu"] = cpu_now() - span[3]["cpu"]
            bus.end(span)
            bus.first_step_done = True

    put_in(bus, module.BaseSession, "run", enter, leave, arguments=("self", "fetches", "feed_dict"))


_TRAINING = os.sep + os.path.join("tensorflow", "python", "training") + os.sep


def _is_upkeep(caller: FrameType | None) -> bool:
    """TensorFlow's own request: a saver, a hook, a session manager. Monitored sessions hand the user's on in `run`."""
    return caller is not None and _TRAINING in caller.f_code.co_filename and caller.f_code.co_name != "run"


def _added_by(graph: Any, added: int) -> list[list[Any]]:
    """[[file, line, ops], ...] of the newest ops of a graph, most first."""
    newest = graph.get_operations()[-added:]
    counts: dict[tuple[str, int], int] = {}
    for operation in newest[:: max(1, len(newest) // 40)]:
        line = user_line(operation)
        if line is not None:
            counts[line] = counts.get(line, 0) + 1
    return [[*line, count] for line, count in sorted(counts.items(), key=lambda item: -item[1])[:6]]


def _label(fetches: Any) -> str:
    if isinstance(fetches, (list, tuple)):
        return ",".join(_label(item) for item in fetches[:8])[:200]
    if isinstance(fetches, dict):
        return ",".join(_label(item) for item in list(fetches.values())[:8])[:200]
    return _name(fetches)


def _name(item: Any) -> str:
    return str(getattr(item, "name", None) or type(item).__name__)[:80]
