"""TF1 sessions: what runs with something new in them took beyond ordinary ones."""

from __future__ import annotations

from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Interval


def is_new(run: Span) -> bool:
    return bool(run.attrs.get("first")) or int(run.attrs.get("added", 0)) > 0


def ordinary_ns(run: Analysis) -> int:
    """The median of the runs with nothing new; where there is none, the shortest of all."""
    runs = run.spans(s.SESSION_RUN)
    plain = [r.end_ns - r.start_ns for r in runs if not is_new(r)]
    if plain:
        return int(median(plain))
    return min((r.end_ns - r.start_ns for r in runs), default=0)


def extra_of_new_requests(run: Analysis) -> tuple[float, tuple[Interval, ...]]:
    """(seconds, intervals) of runs with new fetches, feeds or operations."""
    usual = ordinary_ns(run)
    new = [r for r in run.spans(s.SESSION_RUN) if is_new(r)]
    lost = sum(max(0, r.end_ns - r.start_ns - usual) for r in new)
    return lost / 1e9, tuple((r.start_ns, r.end_ns) for r in new)
