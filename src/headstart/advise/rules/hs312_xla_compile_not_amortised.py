"""XLA's compilation took longer than the run could earn back.

## What it does
Finds functions compiled with `jit_compile=True` whose compilation took longer than all the steps that ran
afterwards, and says after how many steps it would have paid off.

## Why it costs
Compiling with XLA takes seconds per function, ten times what TensorFlow's own optimiser takes, and makes steps
perhaps twice as fast. Short runs, tests and debugging sessions only ever see the price.

## Use instead
Leave `jit_compile` off for short runs (behind a flag, say), or keep the compiled program between runs, which
`headstart run` does.

## Fix safety
No automatic fix: long runs want XLA.
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

kernels = [tf.Variable(tf.random.normal((3, 3, 16, 16)) * 0.1) for _ in range(40)]


@tf.function(jit_compile=True)
def features(x):
    for kernel in kernels:
        x = x + tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))
    return tf.reduce_mean(x, (1, 2))


for i in range(5):
    features(tf.ones((1, 16, 16, 16)))
"""

GOOD = """\
import tensorflow as tf

kernels = [tf.Variable(tf.random.normal((3, 3, 16, 16)) * 0.1) for _ in range(40)]


@tf.function
def features(x):
    for kernel in kernels:
        x = x + tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))
    return tf.reduce_mean(x, (1, 2))


for i in range(5):
    features(tf.ones((1, 16, 16, 16)))
"""

RULE = Rule(
    code="HS312",
    slug="xla-compile-not-amortised",
    doc=__doc__,
    symptoms=("jit_compile=True slower than without", "first step takes long with XLA"),
    threshold=(
        "2 s of compilation, and at least three times what all the compiled steps after it took: even if XLA made "
        "the steps four times as fast, this run lost."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
