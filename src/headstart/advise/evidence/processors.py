"""How busy the machine's processors were: work that is to go on at the same time needs one that is free."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Interval


def cores_of(run: Analysis) -> int:
    """Those of the machine that the program ran on."""
    known = str(run.report.environment.get("cores", ""))
    return int(known) if known.isdigit() and int(known) else os.cpu_count() or 1


def at_most_idle(run: Analysis, intervals: Sequence[Interval], seconds: float) -> float:
    """What doing more at the same time can save of these seconds."""
    idle = idle_seconds(run, intervals)
    return seconds if idle is None else min(seconds, idle)


def idle_seconds(run: Analysis, intervals: Sequence[Interval]) -> float | None:
    """What these stretches would be shorter by if all of their work kept every processor busy; None where unknown.

    No prefetch and no thread more can save more than that.
    """
    cores = cores_of(run)
    read = [(c.at_ns, c.values[s.CPU]) for c in run.run.counters if s.CPU in c.values]
    times = [at for at, _ in read]
    covered = whole = idle = 0.0
    for start, end in intervals:
        whole += end - start
        inside = read[bisect_left(times, start) : bisect_right(times, end)]
        if len(inside) >= 2:
            spent, used = inside[-1][0] - inside[0][0], inside[-1][1] - inside[0][1]
            covered += spent
            idle += max(0.0, spent - used / cores)
    if covered < 0.5 * whole or not covered:
        return None
    return idle / covered * whole / 1e9
