"""Keras loops called again and again for next to nothing: HS310 and HS314 differ in the name of the loop."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from .models import batches_in
from .places import Place, by_place
from .spans import Inside

CALLS = 20
WORTH_SECONDS = 1.0


def small_calls(
    run: Analysis, names: tuple[str, ...], batches: int
) -> Iterable[tuple[Place, list[Span], float]]:
    """(line, calls, seconds of preparation) of loops that ran a batch or two at a time."""
    counts = batches_in(run)
    steps = Inside([*run.spans(s.BATCH)])
    inner: dict[int, int] = {}
    loops = Inside(run.spans(s.FIT))
    for step in steps.spans:
        loop = loops.holds(step)
        if loop is not None:
            inner[loop.start_ns] = inner.get(loop.start_ns, 0) + step.end_ns - step.start_ns
    wanted = [x for x in run.spans(s.FIT) if x.name in names and not x.attrs.get("nested")]
    for where, calls in by_place(wanted).items():
        if len(calls) < CALLS or median([counts.get(call.start_ns, 1) for call in calls]) > batches:
            continue
        # The first call traces; that is not what the others cost.
        lost = sum(max(0, c.end_ns - c.start_ns - inner.get(c.start_ns, 0)) for c in calls[1:]) / 1e9
        if lost >= WORTH_SECONDS:
            yield where, calls, lost
