"""Steps get slower and slower, and headstart does not know why.

## What it does
Reports that the steps' time rises steadily, when none of the causes that headstart knows explains it. It
points at the line that took most of the rise, where one stands out, else at the step.

## Why it costs
Work that grows with the step number makes a run's time grow with its square: twice the steps take four
times as long.

## Use instead
Look for whatever is longer at step 1,000 than at step 1: a list that is walked, a history that is summed, a
tensor that is appended to, a file that is read again from its beginning.

## Fix safety
No automatic fix: the cause is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ...analyse.growth import grown, rise_seconds
from ...analyse.model import Analysis
from ...analyse.trend import find_trend
from ..draft import Draft, Interval
from ..evidence.places import Place
from ..evidence.samples import samples
from ..evidence.words import secs
from ..rule import Rule

_WORTH_SECONDS = 1.0
_STANDS_OUT = 0.5
"""The part of the rise that must be at one line for it to be named."""
_BELIEVABLE = 100_000


def detect(run: Analysis) -> Iterable[Draft]:
    site = run.steps.site
    intervals = run.steps.intervals_ns
    if site is None or len(intervals) < 20:
        return
    # Steps themselves, and from the beginning of one to that of the next: what grows may be between them.
    series = [[b - a for a, b in intervals[1:]], [b[0] - a[0] for a, b in pairwise(intervals[1:])]]
    trends = [find_trend([ns / 1e9 for ns in values]) for values in series]
    growing = [
        (rise_seconds(v), v, t) for v, t in zip(series, trends, strict=True) if t is not None and t.growing
    ]
    if not growing:
        return
    lost, values, trend = max(growing, key=lambda item: item[0])
    if lost < _WORTH_SECONDS:
        return
    factor = grown(values)
    if factor > _BELIEVABLE:
        return  # early steps of no length: on a busy machine, what was taken out as standing in line was all of them
    slower = _line_that_grew(run, intervals[1:])
    told = "most of it at this line" if slower else "and the cause is not known"
    file, line = slower or site[:2]
    yield Draft(
        title=f"steps got {factor:.1f} times slower over the run, {told}: {secs(lost)}",
        file=file,
        line=line,
        seconds=lost,
        confidence="medium" if factor >= 2 and trend.p_value < 0.001 else "low",
        advice="Look for what is longer at the last step than at the first: a list, a history, a file.",
        claims=((intervals[0][0], intervals[-1][1]),),
        details={"factor": round(factor, 2), "slope_seconds_per_step": trend.slope_seconds_per_step},
    )


def _line_that_grew(run: Analysis, intervals: Sequence[Interval]) -> Place | None:
    """The line whose time a step grew most from the first third of the steps to the last, if one stands out."""
    third = len(intervals) // 3
    seen: list[Counter[Place]] = []
    for part in (intervals[:third], intervals[-third:]):
        counts: Counter[Place] = Counter()
        for sample, weight in samples(run).between(part[0][0], part[-1][1]):
            if sample.file:
                counts[(sample.file, sample.line)] += weight
        seen.append(counts)
    rises = {where: weight - seen[0][where] for where, weight in seen[1].items()}
    most = max(rises, key=lambda where: rises[where], default=None)
    whole = seen[1].total() - seen[0].total()
    return most if most is not None and rises[most] > _STANDS_OUT * whole > 0 else None


BAD = """\
import numpy as np
import tensorflow as tf

step = tf.function(lambda x: tf.reduce_sum(x * x))
history = np.zeros(0, "float32")
for i in range(400):
    history = np.concatenate([history, np.ones(20_000, "float32")])
    step(tf.constant(np.sort(history)[:100]))
"""

GOOD = """\
import numpy as np
import tensorflow as tf

step = tf.function(lambda x: tf.reduce_sum(x * x))
history = np.zeros(0, "float32")
for i in range(400):
    history = np.concatenate([history, np.ones(20_000, "float32")])[-20_000:]
    step(tf.constant(np.sort(history)[:100]))
"""

RULE = Rule(
    code="HS503",
    slug="growing-step-time",
    doc=__doc__,
    symptoms=(
        "each step is slower than the last",
        "training slows down over time",
        "iteration time increases",
    ),
    threshold=(
        "A significant rising trend whose rise alone cost 1 s, and no other finding at that loop: where a "
        "cause is known, that is what is reported."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
