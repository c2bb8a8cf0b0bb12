"""Values are fetched from tensors one by one, in every step.

## What it does
Finds lines that read many tensor values into Python in each step: `.numpy()`, `float(...)`, `int(...)`,
`print(tensor)`, or iterating over a tensor.

## Why it costs
Each read waits until the value is computed, so that the next step cannot be prepared meanwhile, and each
takes ten microseconds or more in Python; sixty-four of them a step outweigh a small step.

## Use instead
Keep values as tensors, reduce them there, and fetch the result once in a while: a `tf.keras.metrics.Mean`,
or one `.numpy()` of the whole batch; print every hundred steps.

## Fix safety
No automatic fix: what the values are needed for is not in the line.
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

score = tf.function(lambda x: tf.nn.softmax(tf.matmul(x, tf.transpose(x))))
hits = 0
for step in range(200):
    result = score(tf.random.normal((96, 8)))
    for i in range(96):
        hits += float(result[i, i]) > 0.5
print(hits)
"""

GOOD = """\
import tensorflow as tf


@tf.function
def score(x):
    result = tf.nn.softmax(tf.matmul(x, tf.transpose(x)))
    return tf.reduce_sum(tf.cast(tf.linalg.diag_part(result) > 0.5, tf.int32))


hits = tf.constant(0)
for step in range(200):
    hits += score(tf.random.normal((96, 8)))
print(int(hits))
"""

RULE = Rule(
    code="HS405",
    slug="host-sync-per-step",
    doc=__doc__,
    symptoms=(
        "calling .numpy() every step is slow",
        "float(loss) slows training",
        "printing the loss is slow",
    ),
    threshold=(
        "0.5 s at one line that reads values in at least half of the steps: a `float(loss)` a step is "
        "cheap on a CPU, and is silent until it costs."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
