"""Initialising with zeros makes building drastically cheaper.

## What is measured
Document 002's network from `import tensorflow` to its first step, with `glorot_uniform` and with zeros; and
building 100 million weights both ways. "Drastically" is to half.

## What happens
Drawing the 814,090 numbers of the document's network takes milliseconds of a start of seconds: with zeros
nothing changes that one could feel. With 100 million weights the random numbers are the larger part of
building, though still not of the start. And weights that start as zeros do not train: every unit of a layer
stays like the other.

## What headstart does
HS201 reports an initialiser only where it costs something worth mending; HS202 where its result is thrown away,
which is the case in which zeros are right.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import START, program
from ..quantities import noted, phases, summed
from .c03_initialising_variables import building

DOCUMENT = """\
import tensorflow as tf
from headstart.lab.arm import clock

x, y = tf.random.normal((32, 784)), tf.one_hot(tf.range(32) % 10, 10)
with clock("to_first_step"):
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(1024, input_shape=(784,), kernel_initializer="$initializer"),
        tf.keras.layers.Dense(10, kernel_initializer="$initializer"),
    ])
    model.compile(optimizer="adam", loss="categorical_crossentropy")
    model.build((None, 784))
    model.train_on_batch(x, y)
"""
IMPORTING = noted("start", "importing", "")

CLAIM = Claim(
    id="C17",
    slug="zeros-make-building-cheap",
    doc=__doc__,
    documents=("002",),
    rule="when",
    arms=(
        START,
        Arm(name="document", program=program(DOCUMENT, initializer="glorot_uniform")),
        Arm(name="document with zeros", program=program(DOCUMENT, initializer="zeros")),
        building("glorot_uniform", 100),
        building("zeros", 100),
    ),
    contrasts=(
        Contrast(
            slow=noted(
                "glorot_uniform 100", "build", "building 100 million weights with Glorot's initialiser"
            ),
            fast=noted("zeros 100", "build", "with zeros"),
            holds_from=1.6,
            fails_below=1.3,
            when="building 100 million weights is looked at alone",
        ),
        Contrast(
            slow=summed(noted("document", "to_first_step", ""), IMPORTING, "from import to the first step"),
            fast=summed(noted("document with zeros", "to_first_step", ""), IMPORTING, "with zeros"),
            holds_from=1.6,
            fails_below=1.3,
            when="the start of the document's network is meant",
        ),
    ),
    twin=Twin(
        "zeros 100", "building 100 million zeros", "last_build", phases("model-build", "variable-init")
    ),
    examples=Examples(
        holds={
            "start": {"importing": 2.0},
            "document": {"to_first_step": 6.0},
            "document with zeros": {"to_first_step": 1.0},
            "glorot_uniform 100": {"build": 0.9},
            "zeros 100": {"build": 0.3},
        },
        fails={
            "start": {"importing": 2.0},
            "document": {"to_first_step": 1.0},
            "document with zeros": {"to_first_step": 1.0},
            "glorot_uniform 100": {"build": 0.3},
            "zeros 100": {"build": 0.3},
        },
        partly={
            "start": {"importing": 2.0},
            "document": {"to_first_step": 1.0},
            "document with zeros": {"to_first_step": 1.0},
            "glorot_uniform 100": {"build": 0.9},
            "zeros 100": {"build": 0.3},
        },
    ),
)
