"""What the measurement itself cost, as far as it can be measured from inside."""

from __future__ import annotations

from ..record.nouns import Run
from .report import Overhead

_ORDINARY_SPAN_NS = 3000
"""Where the record is cut before the calibration: the cost of a span on a slow machine."""


def own_cost(run: Run) -> Overhead:
    """Work timed directly (starting, installing probes), plus spans at their calibrated cost, plus sampling.

    The sampler runs on a thread of its own but holds the interpreter lock while it looks, so all of its CPU
    time is counted as if the program had waited for it.
    """
    closed = run.closed or {}
    spans = len(run.spans)
    total = int(closed.get("own_ns", 0)) + spans * int(closed.get("span_ns", _ORDINARY_SPAN_NS))
    total += int(closed.get("sampler_ns", 0))
    seconds = total / 1e9
    wall = run.wall_ns / 1e9
    return Overhead(seconds=seconds, share=seconds / wall if wall else 0.0)
