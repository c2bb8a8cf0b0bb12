"""One variable holds most of the model.

## What it does
Finds a single weight of 200 MB or more that holds most of the model's bytes: a Dense layer behind a Flatten of
a large image, an embedding with many more rows than there are words.

## Why it costs
Its initial values are drawn, its optimizer slots (two more of that size with Adam) are filled, and every step
moves all of them through memory, whether or not the row was used.

## Use instead
Pool before the Dense layer (`GlobalAveragePooling2D` for `Flatten`), size an embedding by the vocabulary that
the data has, or hash rare ids into fewer rows.

## Fix safety
No automatic fix: it changes the model.
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

model = keras.Sequential(
    [
        keras.Input((224, 224, 3)),
        keras.layers.Conv2D(8, 3, strides=2, padding="same"),
        keras.layers.Flatten(),
        keras.layers.Dense(1000, activation="relu"),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((16, 224, 224, 3), "float32"), np.zeros(16), batch_size=4, verbose=0)
"""

GOOD = """\
import keras
import numpy as np

model = keras.Sequential(
    [
        keras.Input((224, 224, 3)),
        keras.layers.Conv2D(8, 3, strides=2, padding="same"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(1000, activation="relu"),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((16, 224, 224, 3), "float32"), np.zeros(16), batch_size=4, verbose=0)
"""

RULE = Rule(
    code="HS204",
    slug="oversized-variable",
    doc=__doc__,
    symptoms=(
        "Dense after Flatten is slow",
        "huge embedding slows every step",
        "model has 100 million parameters",
    ),
    threshold=(
        "One variable of 200 MB that is at least 80 % of the model's bytes and costs 0.5 s: a model whose size "
        "is spread over its layers is large because it is meant to be."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
