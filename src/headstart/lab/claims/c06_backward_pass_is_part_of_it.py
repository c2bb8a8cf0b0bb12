"""Adding the backward pass to the graph is part of the first step's cost.

## What is measured
The first call of a `tf.function` that computes the loss of a 6-layer dense network, and of one that also
computes the gradients, in processes of their own; the excess over later calls.

## What happens
The gradient is not a formula that TensorFlow keeps: while tracing, the tape walks back over the recorded
operations and adds one or more new ones for each. The graph becomes two to three times as large, and so does
the time to build and optimise it.

## What headstart does
`headstart profile` shows for each function how much of its tracing went into gradients. `headstart run` keeps
the whole trace, gradients included.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import AS_USUAL, HEADSTART_RUN, REMEDY_RUN, TRAIN_STEP
from ..quantities import computed, first_step

FORWARD = (
    TRAIN_STEP
    + """\
model = network(6)
step = tf.function(lambda x: tf.reduce_mean(tf.square(model(x))))
x = tf.random.normal((32, 64))
with clock("first"):
    step(x)
note(steady=sorted(laps(lambda: step(x), 9))[4])
"""
)

BACKWARD = (
    TRAIN_STEP
    + """\
model = network(6)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x)))
    return tape.gradient(loss, model.trainable_variables)


x = tf.random.normal((32, 64))
with clock("first"):
    step(x)
note(steady=sorted(laps(lambda: step(x), 9))[4])
"""
)

CLAIM = Claim(
    id="C06",
    slug="backward-pass-is-part-of-it",
    doc=__doc__,
    documents=("000",),
    arms=(
        Arm(name="forward", program=FORWARD),
        Arm(name="backward", program=BACKWARD),
        AS_USUAL,
        HEADSTART_RUN,
    ),
    contrasts=(
        Contrast(
            slow=computed("backward", "step 1 with gradients", lambda n: n["first"] - n["steady"]),
            fast=computed("forward", "step 1 without", lambda n: n["first"] - n["steady"]),
            holds_from=1.5,
            fails_below=1.2,
        ),
    ),
    twin=Twin("backward", "the first step with gradients", "first", first_step),
    remedy=REMEDY_RUN,
    examples=Examples(
        holds={"backward": {"first": 1.0, "steady": 0.001}, "forward": {"first": 0.4, "steady": 0.001}},
        fails={"backward": {"first": 0.4, "steady": 0.001}, "forward": {"first": 0.4, "steady": 0.001}},
    ),
)
