"""One line builds hundreds of layers, and that takes seconds.

## What it does
Finds a line of your code that calls layers or symbolic operations hundreds of times while a model is built:
a loop over time steps, features or heads that makes a layer each.

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
from ...record import signals as s
from ..draft import Draft
from ..evidence.places import by_place
from ..evidence.spans import Inside, total_seconds
from ..evidence.words import secs
from ..rule import Rule

_CALLS = 100


def detect(run: Analysis) -> Iterable[Draft]:
    loads = Inside(run.spans(s.LOAD))
    built = [b for b in run.spans(s.MODEL_BUILD) if loads.at(b.start_ns) is None]
    by_line = by_place(b for b in built if not b.attrs.get("library"))
    heavy = {where: spans for where, spans in by_line.items() if len(spans) >= _CALLS}
    if not heavy:
        return
    variables = Inside(built)
    inits = [v for v in run.spans(s.VARIABLE_INIT) if variables.at(v.start_ns) is not None]
    lines = {where: total_seconds(spans) for where, spans in heavy.items()}
    file, line = max(lines, key=lambda where: lines[where])
    calls = sum(len(spans) for spans in heavy.values())
    # Variables are part of it: fewer layers have fewer variables.
    lost = sum(lines.values())
    if lost < 1.0:
        return
    yield Draft(
        title=f"{calls:,} layers and operations were built one by one, {secs(lost / calls)} each: {secs(lost)}",
        file=file,
        line=line,
        seconds=lost,
        confidence="medium",
        advice="Let one layer do all of them: a recurrent layer over time, EinsumDense, or one wide "
        "Dense and a Reshape.",
        claims=tuple((b.start_ns, b.end_ns) for spans in heavy.values() for b in spans),
        details={"calls": calls, "variables": len(inits)},
    )


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
        "1 s at one line that itself made 100 symbolic calls or more: deep models that a library builds in "
        "one call, or that are written out layer by layer, are as large as they are meant to be."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
