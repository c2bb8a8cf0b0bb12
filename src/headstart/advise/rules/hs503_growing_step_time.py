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

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


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
