"""Each new input shape makes a tf.function trace again.

## What it does
Finds calls of a `tf.function`, or Keras batches, that were traced again because a tensor came with another
shape: sentences of different lengths, a shorter last batch, images of different sizes.

## Why it costs
Without a signature a trace is made for the exact shapes of its inputs. Data in which nearly every batch has
a shape of its own is traced at nearly every step.

## Use instead
Leave the axis open: `@tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32)])`, or
`reduce_retracing=True`; or pad to a few lengths (`padded_batch`, buckets). For the last batch,
`drop_remainder=True`.

## Fix safety
No automatic fix: which axes vary is not in the source.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.retracing import storm_draft, storms
from ..rule import Rule


def detect(run: Analysis) -> Iterable[Draft]:
    for group, again in storms(run, "shape", lambda group, count: count >= 8 or count >= 0.05 * group.calls):
        if group.compiled_by_xla:
            continue  # compiling for each shape is the larger part of it, and has a rule of its own
        advice = (
            "Leave the axis open: @tf.function(input_signature=[tf.TensorSpec(…None…)]) or reduce_retracing=True."
            if group.of_user
            else "Pad to a few lengths (padded_batch, buckets), and drop_remainder=True for the last batch."
        )
        yield storm_draft(group, again, "for each new shape", advice)


BAD = """\
import tensorflow as tf

weights = tf.Variable(tf.random.normal((64, 64)))


@tf.function
def score(x):
    for _ in range(20):
        x = tf.nn.relu(tf.matmul(x, weights))
    return tf.reduce_sum(x)


for length in range(10, 60):
    score(tf.ones((length, 64)))
"""

GOOD = """\
import tensorflow as tf

weights = tf.Variable(tf.random.normal((64, 64)))


@tf.function(input_signature=[tf.TensorSpec((None, 64), tf.float32)])
def score(x):
    for _ in range(20):
        x = tf.nn.relu(tf.matmul(x, weights))
    return tf.reduce_sum(x)


for length in range(10, 60):
    score(tf.ones((length, 64)))
"""

RULE = Rule(
    code="HS302",
    slug="retrace-varying-shape",
    doc=__doc__,
    symptoms=(
        "passing tensors with different shapes triggers retracing",
        "variable length batches are slow",
        "first epoch much slower than the second with sequences",
    ),
    threshold=(
        "3 traces for shapes of one argument that cost 0.5 s together: one more trace for the shorter "
        "last batch is usual and cheap. With doubt for fewer than 30 that were called 50 times each: buckets."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
