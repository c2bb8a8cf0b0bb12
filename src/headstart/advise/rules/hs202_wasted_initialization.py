"""Weights are initialised and then overwritten.

## What it does
Finds models whose weights were filled by their initialisers and then replaced by `load_weights`,
`set_weights` or a checkpoint, before anything was computed with them.

## Why it costs
Drawing random numbers for a weight costs more than reading it from a file that is in the page cache: 100
million weights take 0.5 s with `glorot_uniform`, and nobody ever looks at them.

## Use instead
Give the layers a constant initialiser when weights will be loaded (`kernel_initializer="zeros"`), or let
`headstart run` skip it, which gives the same numbers.

## Fix safety
No automatic fix: whether the file holds every weight is not in the source.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


BAD = """\
import os
import tempfile

import keras

path = os.path.join(tempfile.mkdtemp(), "w.weights.h5")


def build(initializer):
    dense = keras.layers.Dense(9000, kernel_initializer=initializer)
    return keras.Sequential([keras.Input((9000,)), dense])


build("zeros").save_weights(path)
model = build("truncated_normal")
model.load_weights(path)
print(float(model.weights[0][0, 0]))
"""

GOOD = """\
import os
import tempfile

import keras

path = os.path.join(tempfile.mkdtemp(), "w.weights.h5")


def build(initializer):
    dense = keras.layers.Dense(9000, kernel_initializer=initializer)
    return keras.Sequential([keras.Input((9000,)), dense])


build("zeros").save_weights(path)
model = build("zeros")
model.load_weights(path)
print(float(model.weights[0][0, 0]))
"""

RULE = Rule(
    code="HS202",
    slug="wasted-initialization",
    doc=__doc__,
    symptoms=(
        "loading weights is slow although the file is small",
        "model is initialised before load_weights",
    ),
    threshold=(
        "0.5 s of initialisers whose values were overwritten before a step ran. Loads that cover less than half "
        "of the bytes are left alone: a partly loaded model needs its initialisers."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
