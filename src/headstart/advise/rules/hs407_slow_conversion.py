"""Python lists are turned into tensors element by element.

## What it does
Finds conversions of large lists, lists of lists or lists of arrays into tensors (by `tf.constant`,
`convert_to_tensor`, `from_tensor_slices`, or by passing a list to a compiled function or to `fit`).

## Why it costs
A list of Python numbers is walked one object at a time, to find its type, its shape and its values: a
million numbers take about 0.1 s as a list and 0.001 s as an array. A list of tensors is packed with an
operation for each.

## Use instead
`np.asarray(values, dtype="float32")` once, as early as possible, and tensors from the array.

## Fix safety
No automatic fix: a list's type is found by looking at it, an array's must be named.
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

table = [[float(i * j) for j in range(200)] for i in range(2000)]
total = tf.function(lambda x: tf.reduce_sum(x))
for step in range(30):
    total(tf.constant(table))
"""

GOOD = """\
import numpy as np
import tensorflow as tf

table = [[float(i * j) for j in range(200)] for i in range(2000)]
array = np.asarray(table, dtype="float32")
total = tf.function(lambda x: tf.reduce_sum(x))
for step in range(30):
    total(tf.constant(array))
"""

RULE = Rule(
    code="HS407",
    slug="slow-conversion",
    doc=__doc__,
    symptoms=(
        "convert_to_tensor is slow",
        "tf.constant of a list is slow",
        "from_tensor_slices takes forever",
    ),
    threshold=(
        "0.5 s at one line more than copying the same bytes needs: arrays convert at memory speed and are "
        "silent."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
