"""Things that grow with the steps: what the rise of step times cost, and how memory went along."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from ..record import signals as s
from .model import Analysis


def rise_seconds(durations_ns: Sequence[int]) -> float:
    """What steps took beyond the early ones, all together. Medians of stretches, so that single slow steps
    (a checkpoint, a pause of the machine) do not count as growth."""
    if len(durations_ns) < 12:
        return 0.0
    early = _early(durations_ns)
    width = max(3, len(durations_ns) // 12)
    total = 0.0
    for start in range(0, len(durations_ns), width):
        part = durations_ns[start : start + width]
        total += max(0.0, median(part) - early) * len(part)
    return total / 1e9


def grown(durations_ns: Sequence[int]) -> float:
    """How many times as long the last steps took as the early ones."""
    if len(durations_ns) < 12:
        return 1.0
    part = max(3, len(durations_ns) // 8)
    return median(durations_ns[-part:]) / max(1.0, _early(durations_ns))


def _early(durations_ns: Sequence[int]) -> float:
    # The very first step traces and warms up: it is no measure of the others.
    part = max(3, len(durations_ns) // 8)
    return median(durations_ns[1 : part + 1])


def memory_growth(run: Analysis) -> tuple[int, bool]:
    """(bytes by which memory grew from the first steps to the last, whether it rose all along)."""
    intervals = run.steps.intervals_ns
    if len(intervals) < 8:
        return 0, False
    start, end = intervals[1][1], intervals[-1][1]
    values = [c.values[s.RSS] for c in run.run.counters if s.RSS in c.values and start <= c.at_ns <= end]
    if len(values) < 4:
        return 0, False
    quarter = max(1, len(values) // 4)
    parts = [median(values[i : i + quarter]) for i in range(0, quarter * 4, quarter)][:4]
    total = values[-1] - values[0]
    rising = all(b - a > 0.08 * total for a, b in pairwise(parts))
    return int(total), total > 0 and rising
