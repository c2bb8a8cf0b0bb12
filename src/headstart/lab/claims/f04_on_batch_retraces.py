"""`train_on_batch` and `predict_on_batch` retrace for every new shape.

## What is measured
Each called with 30 batch sizes, and each called 30 times with one: how often the model's Python code ran, which
is how often it was traced. It would hold if there were at least ten times as many traces.

## What happens
Keras makes its functions with `reduce_retracing`: after the second shape the batch size is left open, and no
further trace is made. (A plain `tf.function` has no such mercy; see C24.)

## What headstart does
HS302 counts the traces that shapes really caused.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import noted, phases

ON_BATCH = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, note


class Counting(tf.keras.layers.Dense):
    traces = 0

    def call(self, x):
        Counting.traces += not tf.executing_eagerly()
        return super().call(x)


model = tf.keras.Sequential([tf.keras.Input((16,)), Counting(16)])
model.compile(optimizer="sgd", loss="mse")
batches = [numpy.ones((4 + i if $varying else 4, 16), "float32") for i in range(30)]
for name, call in (("train", lambda x: model.train_on_batch(x, x)), ("predict", model.predict_on_batch)):
    Counting.traces = 0
    with clock(f"{name}_seconds"):
        for x in batches:
            call(x)
    note(**{name: Counting.traces})
"""


def _contrast(name: str) -> Contrast:
    return Contrast(
        slow=noted("30 shapes", name, f"traces of {name}_on_batch over 30 shapes", ""),
        fast=noted("one shape", name, "with one shape", ""),
        holds_from=10,
        fails_below=5,
        when=f"{name}_on_batch is meant",
    )


CLAIM = Claim(
    id="F04",
    slug="on-batch-retraces",
    doc=__doc__,
    documents=(),
    rule="when",
    arms=(
        Arm(name="one shape", program=program(ON_BATCH, varying=False)),
        Arm(name="30 shapes", program=program(ON_BATCH, varying=True)),
    ),
    contrasts=(_contrast("train"), _contrast("predict")),
    twin=Twin(
        "30 shapes",
        "30 calls of train_on_batch",
        "train_seconds",
        phases(
            "tracing",
            "graph-optimization",
            "steady-steps",
            "first-step",
            "data-warmup",
            "optimizer-setup",
            "variable-init",
            "model-build",
        ),
    ),
    fewest=2,
    examples=Examples(
        holds={"30 shapes": {"train": 31, "predict": 30}, "one shape": {"train": 2, "predict": 1}},
        fails={"30 shapes": {"train": 4, "predict": 2}, "one shape": {"train": 2, "predict": 1}},
        partly={"30 shapes": {"train": 31, "predict": 2}, "one shape": {"train": 2, "predict": 1}},
    ),
)
