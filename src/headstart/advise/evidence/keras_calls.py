"""Keras loops called again and again for next to nothing: HS310 and HS314 differ in the name of the loop."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from .places import Place, by_place
from .spans import Inside

CALLS = 20
WORTH_SECONDS = 1.0
BETWEEN = 10
"""Batches of other loops between two calls, from which the call is not what is repeated: a check after each epoch."""


def small_calls(
    run: Analysis, names: tuple[str, ...], batches: int
) -> Iterable[tuple[Place, list[Span], float]]:
    """(line, calls, seconds of preparation) of loops that ran a batch or two at a time."""
    whole = Inside(run.spans(s.FIT))
    # A callback's own calls are inside of `fit`, at a line of theirs; a validation is at the line of the fit.
    inside = Inside(
        x
        for x in run.spans(s.FIT)
        if x.attrs.get("nested") and (around := whole.holds(x)) is not None and x.site != around.site
    )
    counts: dict[int, int] = defaultdict(int)
    inner: dict[int, int] = defaultdict(int)
    steps = run.spans(s.BATCH)
    outermost = Inside(steps)
    for step in steps:
        loop = inside.at(step.start_ns)
        if loop is None and outermost.holds(step) is None:
            loop = whole.holds(step)
        if loop is not None:
            counts[loop.start_ns] += int(step.attrs.get("steps", 1))
            inner[loop.start_ns] += step.end_ns - step.start_ns
    own = {id(x) for x in inside.spans}
    wanted = [x for x in run.spans(s.FIT) if x.name in names and (not x.attrs.get("nested") or id(x) in own)]
    starts = [step.start_ns for step in steps]
    for where, calls in by_place(wanted).items():
        if len(calls) < CALLS or median([counts.get(call.start_ns, 1) for call in calls]) > batches:
            continue
        if _between(starts, calls) > BETWEEN:
            continue
        # The first call traces; that is not what the others cost.
        lost = sum(max(0, c.end_ns - c.start_ns - inner.get(c.start_ns, 0)) for c in calls[1:]) / 1e9
        if lost >= WORTH_SECONDS:
            yield where, calls, lost


def _between(starts: list[int], calls: list[Span]) -> float:
    """Batches of other loops from one call to the next, the median."""
    return median(
        bisect_left(starts, later.start_ns) - bisect_left(starts, call.end_ns)
        for call, later in pairwise(calls)
    )
