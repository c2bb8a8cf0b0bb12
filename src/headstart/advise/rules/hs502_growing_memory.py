"""Memory grows with every step, because results are kept.

## What it does
Finds programs whose memory grows steadily from step to step, names the container that holds it (a list of
predictions, losses that are tensors, a history) and the line that adds to it.

## Why it costs
Each tensor that a list refers to stays in memory, with everything that it needs. Runs die after hours, when
the machine is out of memory, or get slower when it begins to swap.

## Use instead
Keep what is needed and no more: a number (`float(loss)`), a class index, a running mean
(`tf.keras.metrics.Mean`); write large results to a file as they come.

## Fix safety
No automatic fix: what will be needed later is not in the line.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


BAD = """\
import tensorflow as tf

infer = tf.function(lambda x: tf.nn.softmax(x))
kept = []
for i in range(200):
    image = tf.random.uniform((8, 128, 128, 8))
    kept.append(infer(image))
print(len(kept))
"""

GOOD = """\
import tensorflow as tf

infer = tf.function(lambda x: tf.nn.softmax(x))
kept = []
for i in range(200):
    image = tf.random.uniform((8, 128, 128, 8))
    kept.append(float(tf.reduce_mean(infer(image))))
print(len(kept))
"""

RULE = Rule(
    code="HS502",
    slug="growing-memory",
    doc=__doc__,
    symptoms=("memory leak during training", "RAM grows every epoch", "OOM after many steps"),
    threshold=(
        "200 MB more at the end than after the first steps, growing with them, and a container that holds "
        "at least half of it: allocators keep some freed memory, and that is not growth."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
