"""Values read from eager tensors into Python: `.numpy()`, `float(...)`, `print(...)`, by line.

Every way to read a value goes through one method. It is counted and timed there; totals are written now and
then, since a program may do this a hundred thousand times.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from ...record.signals import HOST_SYNC
from ..bus import Bus, now
from ..sites import is_user_frame
from ._tools import put_in, state

WRITTEN_EVERY_NS = 500_000_000
FRAMES = 6
"""How far up the user's line may be: through `__float__` or `numpy`, a metric's result and little else."""


def install(bus: Bus, module: Any) -> None:
    totals: dict[tuple[str, int, str], list[int]] = {}
    written = [0]

    def enter() -> tuple[tuple[str, int, str], int] | None:
        if state.fitting or state.tracing or not bus.on_main():
            return None
        frame: FrameType | None = sys._getframe(2)
        for _ in range(FRAMES):
            if frame is None:
                return None
            if is_user_frame(frame):
                code = frame.f_code
                return (code.co_filename, frame.f_lineno, code.co_name), now()
            frame = frame.f_back
        return None

    def leave(token: tuple[tuple[str, int, str], int] | None) -> None:
        if token is None:
            return
        site, t0 = token
        t1 = now()
        entry = totals.get(site)
        if entry is None:
            entry = totals[site] = [0, 0, t0, t1]
        entry[0] += 1
        entry[1] += t1 - t0
        entry[3] = t1
        if t1 - written[0] > WRITTEN_EVERY_NS:
            write(t1)

    def write(at: int) -> None:
        written[0] = at
        for site, (count, ns, first, last) in list(totals.items()):
            attrs = {"site": list(site), "count": count, "ns": ns, "first_ns": first, "last_ns": last}
            bus.mark(HOST_SYNC, "read", attrs)

    put_in(bus, module._EagerTensorBase, "_numpy", enter, leave, arguments=())
    bus.at_close.append(lambda: write(now()))
