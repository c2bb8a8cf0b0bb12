"""A large array is baked into the graph.

## What it does
Finds arrays of 10 MB and more that became constants of a graph: a NumPy array used inside a `tf.function` or
a `Dataset.map`, a whole data set given to `from_tensor_slices` in TF1 graph mode.

## Why it costs
A constant is part of the graph's text. It is copied into the graph, serialised, hashed and copied again by
every optimisation pass and for every session and trace: seconds for 100 MB, and an error at 2 GB.

## Use instead
Pass the array as an argument, or keep it in a `tf.Variable` or a `tf.constant` made outside the function, which
is captured by reference. In TF1, feed it through a placeholder when the iterator is initialised.

## Fix safety
No automatic fix: the function's signature or the feeding changes.
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

table = np.random.default_rng(0).standard_normal((400_000, 128), dtype="float32")


@tf.function
def nearest(x):
    return tf.argmax(tf.linalg.matvec(table, x))


for i in range(5):
    print(int(nearest(tf.ones((128,)) * float(i))))
"""

GOOD = """\
import numpy as np
import tensorflow as tf

table = tf.constant(np.random.default_rng(0).standard_normal((400_000, 128), dtype="float32"))


@tf.function
def nearest(x):
    return tf.argmax(tf.linalg.matvec(table, x))


for i in range(5):
    print(int(nearest(tf.ones((128,)) * float(i))))
"""

RULE = Rule(
    code="HS308",
    slug="large-constant-in-graph",
    doc=__doc__,
    symptoms=(
        "GraphDef cannot be larger than 2GB",
        "first session.run is slow",
        "numpy array in tf.function slow",
    ),
    threshold=("10 MB at one line and 0.5 s in the graphs that hold it: small tables are constants rightly."),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
