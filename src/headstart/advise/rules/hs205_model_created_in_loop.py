"""The same model is built again and again.

## What it does
Finds a line that builds the same model many times, each for a call or a few steps: a model per request, per
sample, per episode.

## Why it costs
Each new model creates its variables again, and every function that Keras compiled for the last one is traced
and optimised again, since a trace belongs to the variables that it uses. Without `clear_session` the old ones
stay in memory as well.

## Use instead
Build it once, before the loop, and start over with `model.set_weights(initial)` where fresh weights are needed.
Building a model per fold or per candidate of a search is fine, and is not reported.

## Fix safety
No automatic fix: code that relies on fresh weights must reset them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


BAD = """\
import keras
import numpy as np


def build():
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])


weights = build().get_weights()
for request in range(40):
    model = build()
    model.set_weights(weights)
    print(model.predict(np.ones((1, 8)), verbose=0))
"""

GOOD = """\
import keras
import numpy as np


def build():
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])


model = build()
for request in range(40):
    print(model(np.ones((1, 8), "float32"), training=False))
"""

RULE = Rule(
    code="HS205",
    slug="model-created-in-loop",
    doc=__doc__,
    symptoms=(
        "creating a model in a loop leaks memory",
        "each iteration gets slower with Sequential in a loop",
    ),
    threshold=(
        "The same architecture at one line 8 times or more, each used for at most 3 steps, and 1 s lost: cross "
        "validation and searches build a model for hundreds of steps and are meant to."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
