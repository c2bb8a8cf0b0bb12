"""`clear_session()` after each `predict` helps.

## What is measured
A small model, `predict` of one row called 10 times, with `tf.keras.backend.clear_session()` after each call and
without: the median time of a call.

## What happens
It clears what Keras holds globally, names and graphs of models, and runs a collection, which takes far longer
than what it tidies away. The model's own traced function stays, so nothing is gained; the calls get slower by
what the clearing costs. It is for programs that make many models, not for those that use one.

## What headstart does
HS310 finds `predict` in a loop; `model(x, training=False)` is what helps.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import middle, phases

CLEAR = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, laps, note

model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(16)])
x = numpy.ones((1, 16), "float32")


def call():
    model.predict(x, verbose=0)
    if $clear:
        tf.keras.backend.clear_session()


call()
with clock("all_calls"):
    calls = laps(call, 10)
note(calls=calls)
"""

CLAIM = Claim(
    id="F10",
    slug="clear-session-helps",
    doc=__doc__,
    documents=(),
    arms=(
        Arm(name="as usual", program=program(CLEAR, clear=False)),
        Arm(name="clearing", program=program(CLEAR, clear=True)),
    ),
    contrasts=(
        Contrast(
            slow=middle("as usual", "calls", "a call of predict", skip=5),
            fast=middle("clearing", "calls", "with clear_session() after it", skip=5),
            holds_from=1.3,
            fails_below=1.1,
        ),
    ),
    twin=Twin(
        "as usual",
        "10 calls of predict",
        "all_calls",
        phases(
            "steady-steps",
            "evaluation",
            "data-warmup",
            "data-wait",
            "tracing",
            "graph-optimization",
            "first-step",
            "model-build",
        ),
    ),
    examples=Examples(
        holds={"as usual": {"calls": [0.05] * 40}, "clearing": {"calls": [0.02] * 40}},
        fails={"as usual": {"calls": [0.03] * 40}, "clearing": {"calls": [0.3] * 40}},
    ),
)
