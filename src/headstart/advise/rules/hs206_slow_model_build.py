"""One line builds hundreds of layers, and that takes seconds.

## What it does
Finds a line of your code that calls layers or symbolic operations hundreds of times while a model is built: a
loop over time steps, features or heads that makes a layer each.

## Why it costs
Each symbolic call checks its arguments, infers its shapes by tracing and adds nodes that will be traced and
optimised once more in the first step: about a millisecond each, and again several times that later.

## Use instead
One layer that does all of them at once: `TimeDistributed` or a recurrent layer over time steps, one wide
`Dense` and a `Reshape` for many heads, `ops.vectorized_map` for a loop over columns.

## Fix safety
No automatic fix: it changes the model's structure and the names of its weights.
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
from keras import layers

inputs = keras.Input((400, 4))
parts = []
for step in range(400):
    parts.append(layers.Dense(8)(inputs[:, step]))
model = keras.Model(inputs, layers.Concatenate()(parts))
print(model.count_params())
"""

GOOD = """\
import keras
from keras import layers

inputs = keras.Input((400, 4))
hidden = layers.EinsumDense("btf,tfg->btg", output_shape=(400, 8))(inputs)
model = keras.Model(inputs, layers.Flatten()(hidden))
print(model.count_params())
"""

RULE = Rule(
    code="HS206",
    slug="slow-model-build",
    doc=__doc__,
    symptoms=("building the functional model takes minutes", "model construction slow before compile"),
    threshold=(
        "1 s at one line that made 100 symbolic calls or more: deep models that a library builds in one call, "
        "or that are written out layer by layer, are as large as they are meant to be."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
