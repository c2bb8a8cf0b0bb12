"""Calling `predict` or `fit` in a loop leaks and slows down.

## What is measured
A small model: `predict` of one row and `fit` of one batch, each called 200 times (in a quick lab 24). Memory
after a collection at the end over that after the first third, and the time of the last calls over that of the
first.

## What happens
Each call makes a new data pipeline, a new iterator and its callbacks, which takes tens of milliseconds every
time; but it does not trace anew, does not get slower, and after a collection the memory is where it was. The
growth that people see is garbage that has not been collected yet, or came with TensorFlow 2.0 to 2.4.

## What headstart does
HS310 and HS314 find the loop and what the calls cost: not because they leak, but because `model(x)` or one
longer `fit` does the same in a fraction of the time.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import early_and_late, noted, phases

CALLS = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, laps, note, resident_bytes

model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(16)])
model.compile(optimizer="sgd", loss="mse")
x = numpy.ones((1, 16), "float32")


def call():
    $call


call()
third = $count // 3
calls = laps(call, third)
before = resident_bytes()
with clock("later_calls"):
    calls += laps(call, 2 * third)
note(calls=calls, before=before, after=resident_bytes())
"""


def _arms(name: str, call: str) -> tuple[Arm, Arm]:
    return (
        Arm(name=name, program=program(CALLS, call=call, count=24), modes=("quick",)),
        Arm(name=name, program=program(CALLS, call=call, count=200), modes=("full",)),
    )


def _contrasts(arm: str) -> tuple[Contrast, Contrast]:
    early, late = early_and_late(arm, "calls", f"a call of {arm}", skip=3)
    return (
        Contrast(
            slow=noted(arm, "after", f"memory after all calls of {arm}", "bytes"),
            fast=noted(arm, "before", "after the first third", "bytes"),
            holds_from=1.3,
            fails_below=1.15,
            when=f"the memory of {arm} is meant",
        ),
        Contrast(slow=late, fast=early, holds_from=2.0, fails_below=1.5, when=f"the time of {arm} is meant"),
    )


def _made_up(after: float, growth: float) -> dict[str, dict[str, object]]:
    notes = {"before": 5e8, "after": after, "calls": [0.02 * (1 + growth * i / 100) for i in range(100)]}
    return {"predict": notes, "fit": notes}


CLAIM = Claim(
    id="F01",
    slug="predict-or-fit-in-a-loop",
    doc=__doc__,
    documents=(),
    rule="when",
    arms=(*_arms("predict", "model.predict(x, verbose=0)"), *_arms("fit", "model.fit(x, x, verbose=0)")),
    contrasts=(*_contrasts("predict"), *_contrasts("fit")),
    twin=Twin(
        "predict",
        "the later two thirds of the calls of predict",
        "later_calls",
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
    fewest=2,
    examples=Examples(
        holds=_made_up(9e8, 5.0),
        fails=_made_up(5e8, 0.0),
        partly=_made_up(9e8, 0.0),
    ),
)
