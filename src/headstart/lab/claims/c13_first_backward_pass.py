"""The first backward pass computes something that later ones do not.

## What is measured
Eager backward passes of a 6-layer network of 4 million weights, after its forward pass has been warmed up: the
first against the median of later ones. Once in a process where no gradient has been computed yet, and once
after another small network of the same kind has been through one.

## What happens
Every backward pass computes the gradient of every weight: the same operations on the same shapes each time.
What the first one has more is of the process and not of the network: kernels that are looked up and made when
they are first used, and parts of TensorFlow that load then. After another network's backward pass most of it is gone,
although these weights have never had a gradient.

## What headstart does
Nothing is to be mended. The few milliseconds are in `first-step`.
"""

from __future__ import annotations

from ...analyse.stats import median
from ..claim import Arm, Claim, Contrast, Examples, Quantity, Twin
from ..programs import TRAIN_STEP, program
from ..quantities import computed, phases

BACKWARD = (
    TRAIN_STEP
    + """\
model = network(6, 800)
x = tf.random.normal((64, 800))


def backward(model, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - x))
    with clock("backward") as backward_clock:
        gradients = tape.gradient(loss, model.trainable_variables)
        gradients[0].numpy()
    return backward_clock.seconds


for _ in range(5):
    tf.reduce_mean(tf.square(model(x) - x))
if $warm:
    backward(network(2, 16), tf.random.normal((4, 16)))
passes = [backward(model, x) for _ in range(12)]
note(passes=passes)
"""
)


def _side(arm: str, first: bool) -> Quantity:
    label = "the first backward pass" if first else "a later one"
    return computed(arm, label, lambda n: n["passes"][0] if first else median(n["passes"][2:]))


CLAIM = Claim(
    id="C13",
    slug="first-backward-pass",
    doc=__doc__,
    documents=("001",),
    rule="when",
    arms=(
        Arm(name="first gradient of the process", program=program(BACKWARD, warm=False)),
        Arm(name="first gradient of the network", program=program(BACKWARD, warm=True)),
    ),
    contrasts=(
        Contrast(
            slow=_side("first gradient of the network", True),
            fast=_side("first gradient of the network", False),
            holds_from=3.0,
            fails_below=2.0,
            when="another network has had a backward pass before",
        ),
        Contrast(
            slow=_side("first gradient of the process", True),
            fast=_side("first gradient of the process", False),
            holds_from=3.0,
            fails_below=2.0,
            when="no gradient has been computed in the process yet",
        ),
    ),
    twin=Twin(
        "first gradient of the process",
        "the last backward pass",
        "backward",
        phases("steady-steps", "eager-ops", "first-step"),
    ),
    examples=Examples(
        holds={
            "first gradient of the network": {"passes": [0.3, *[0.03] * 11]},
            "first gradient of the process": {"passes": [0.3, *[0.03] * 11]},
        },
        fails={
            "first gradient of the network": {"passes": [0.03] * 12},
            "first gradient of the process": {"passes": [0.035, *[0.03] * 11]},
        },
        partly={
            "first gradient of the network": {"passes": [0.03] * 12},
            "first gradient of the process": {"passes": [0.3, *[0.03] * 11]},
        },
    ),
)
