"""`fit` traces its step only once.

## What is measured
How often `fit` runs the Python code of the training step, for a model as usual and for one whose optimizer has
been built beforehand (`model.optimizer.build(model.trainable_variables)`). It would hold if there were as few
as with the optimizer built; and the seconds of the first batch, both ways.

## What happens
In a fresh process the step is traced twice: the first trace creates the optimizer's slot variables, and
TensorFlow then traces again, because a graph must not create variables when it runs. With the slots made
beforehand there is one trace, and a model of many layers starts in little more than half the time.

## What headstart does
HS315 reports it where it costs half a second or more; `headstart lint --fix` writes the line, and `headstart
run` does it without.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Quantity, Twin
from ..programs import program
from ..quantities import computed, noted, phases

FIT = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, note


class Counting(tf.keras.Sequential):
    traces = 0

    def train_step(self, data):
        Counting.traces += 1
        return super().train_step(data)


dense = [tf.keras.layers.Dense(32, activation="relu") for _ in range(8)]
model = Counting([tf.keras.Input((32,)), *dense])
model.compile(optimizer="adam", loss="mse")
x = numpy.ones((8, 32), "float32")
if $built:
    model.optimizer.build(model.trainable_variables)
with clock("first_batch"):
    model.fit(x, x, batch_size=8, verbose=0)
note(traces=Counting.traces)
"""


def _traces(arm: str, label: str, times: int = 1) -> Quantity:
    return computed(arm, label, lambda n: times * n["traces"], unit="")


CLAIM = Claim(
    id="F11",
    slug="fit-traces-once",
    doc=__doc__,
    documents=(),
    arms=(
        Arm(name="plain", program=program(FIT, built=False)),
        Arm(name="optimizer built", program=program(FIT, built=True)),
    ),
    contrasts=(
        Contrast(
            # As a ratio that is above 1 when the claim holds: twice one trace, over the traces that there are.
            slow=_traces("optimizer built", "twice the traces with the optimizer built", 2),
            fast=_traces("plain", "the traces of a plain `fit`"),
            holds_from=1.6,
            fails_below=1.2,
        ),
    ),
    twin=Twin(
        "plain",
        "the first batch",
        "first_batch",
        phases(
            "tracing",
            "graph-optimization",
            "optimizer-setup",
            "variable-init",
            "first-step",
            "data-warmup",
            "data-wait",
            "model-build",
        ),
    ),
    remedy=Contrast(
        slow=noted("plain", "first_batch", "the first batch of a plain `fit`"),
        fast=noted("optimizer built", "first_batch", "with the optimizer built, as HS315 advises"),
        holds_from=1.3,
        fails_below=1.1,
    ),
    fewest=3,
    examples=Examples(
        holds={"plain": {"traces": 1}, "optimizer built": {"traces": 1}},
        fails={"plain": {"traces": 2}, "optimizer built": {"traces": 1}},
    ),
)
