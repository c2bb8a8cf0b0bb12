"""Weights that will be overwritten by loading are initialised for nothing.

## What is measured
Building a network of 100 million weights and loading its weights, with Keras' default initialiser and with
zeros in its place; the same for 1 million weights.

## What happens
Building a layer draws its weights at once, and loading then overwrites every one of them. For a large network
that is half of the time from model to loaded model; for a small one nobody could measure it in a whole start.

## What headstart does
HS202 names the line and the seconds. `headstart run` skips initialisers whose result is overwritten.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import START, program
from ..quantities import noted, phases, summed

SETUP = """\
import tensorflow as tf

for layers, units in ((1, 1000), (10, 3162)):
    dense = [tf.keras.layers.Dense(units) for _ in range(layers)]
    tf.keras.Sequential([tf.keras.Input((units,)), *dense]).save_weights(f"{units}.weights.h5")
"""

LOAD = """\
import tensorflow as tf
from headstart.lab.arm import clock


def loaded(layers, units):
    dense = [tf.keras.layers.Dense(units, kernel_initializer="$initializer") for _ in range(layers)]
    model = tf.keras.Sequential([tf.keras.Input((units,)), *dense])
    model.load_weights(f"{units}.weights.h5")
    return model


loaded(1, 1000)  # what only the first load of a process pays
with clock("small"):
    loaded(1, 1000)
with clock("large"):
    loaded(10, 3162)
"""


def _arm(name: str, initializer: str) -> Arm:
    return Arm(name=name, program=program(LOAD, initializer=initializer), setup=SETUP, needs="disk")


IMPORTING = noted("start", "importing", "")

CLAIM = Claim(
    id="C18",
    slug="wasted-initialisation",
    doc=__doc__,
    documents=("002",),
    rule="when",
    arms=(_arm("initialised", "glorot_uniform"), _arm("not initialised", "zeros"), START),
    contrasts=(
        Contrast(
            slow=noted("initialised", "large", "building and loading 100 million weights"),
            fast=noted("not initialised", "large", "without drawing them first"),
            holds_from=1.25,
            fails_below=1.1,
            when="a model has 100 million weights",
            share=True,
            needs="disk",
        ),
        Contrast(
            slow=summed(noted("initialised", "small", ""), IMPORTING, "starting with 1 million weights"),
            fast=summed(noted("not initialised", "small", ""), IMPORTING, "without drawing them first"),
            holds_from=1.25,
            fails_below=1.1,
            when="a model has 1 million weights",
            share=True,
            needs="disk",
        ),
    ),
    twin=Twin(
        "initialised",
        "building and loading 100 million weights",
        "large",
        phases("model-build", "variable-init", "weight-loading"),
    ),
    remedy=Contrast(
        slow=noted("initialised", "large", "building and loading as found"),
        fast=noted("not initialised", "large", "without wasted initialisation"),
        holds_from=1.25,
        fails_below=1.1,
    ),
    examples=Examples(
        holds={
            "start": {"importing": 2.0},
            "initialised": {"small": 2.0, "large": 1.2},
            "not initialised": {"small": 0.01, "large": 0.6},
        },
        fails={
            "start": {"importing": 2.0},
            "initialised": {"small": 0.02, "large": 0.6},
            "not initialised": {"small": 0.01, "large": 0.6},
        },
        partly={
            "start": {"importing": 2.0},
            "initialised": {"small": 0.02, "large": 1.2},
            "not initialised": {"small": 0.01, "large": 0.6},
        },
    ),
)
