"""Steps get slower and slower, and headstart does not know why.

## What it does
Reports that the steps' time rises steadily, when none of the causes that headstart knows explains it. The
finding says what grew along with it (memory, graph size, live tensors), as a hint.

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

import itertools
from collections.abc import Iterable

from ...analyse.growth import grown, rise_seconds
from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.words import secs
from ..rule import Rule

_WORTH_SECONDS = 1.0


def detect(run: Analysis) -> Iterable[Draft]:
    trend = run.report.steps.trend
    site = run.steps.site
    intervals = run.steps.intervals_ns
    if trend is None or not trend.growing or site is None or len(intervals) < 20:
        return
    # From the beginning of one step to that of the next: what grows may be between them.
    turns = [b[0] - a[0] for a, b in itertools.pairwise(intervals)]
    inside = [b - a for a, b in intervals]
    lost = rise_seconds(turns if rise_seconds(turns) > rise_seconds(inside) else inside)
    if lost < _WORTH_SECONDS:
        return
    factor = grown(turns)
    memory = run.report.memory.rss_per_step or 0
    along = f"; memory grew along with them, {memory / 1e6:.1f} MB a step" if memory > 100_000 else ""
    yield Draft(
        title=f"steps got {factor:.1f} times slower over the run, and the cause is not known: {secs(lost)}",
        file=site[0],
        line=site[1],
        seconds=lost,
        confidence="medium" if factor >= 2 and trend.p_value < 0.001 else "low",
        advice=f"Look for what is longer at the last step than at the first: a list, a history, a file{along}.",
        claims=((intervals[0][0], intervals[-1][1]),),
        details={"factor": round(factor, 2), "slope_seconds_per_step": trend.slope_seconds_per_step},
    )


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
