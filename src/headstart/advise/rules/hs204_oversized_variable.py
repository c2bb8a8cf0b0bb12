"""One variable holds most of the model.

## What it does
Finds a single weight of 200 MB or more that holds most of the model's bytes: a Dense layer behind a Flatten
of a large image, an embedding with many more rows than there are words.

## Why it costs
Its initial values are drawn, its optimizer slots (two more of that size with Adam) are filled, and every
step moves all of them through memory, whether or not the row was used.

## Use instead
Pool before the Dense layer (`GlobalAveragePooling2D` for `Flatten`), size an embedding by the vocabulary
that the data has, or hash rare ids into fewer rows.

## Fix safety
No automatic fix: it changes the model.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.first_runs import GRAPH_OPTIMIZATION, XLA_COMPILE
from ...analyse.model import Analysis
from ...record import signals as s
from ...record.format import IN_LIBRARY
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.initializing import bytes_of, home, of_model
from ..evidence.places import place
from ..evidence.samples import samples
from ..evidence.spans import Inside, within
from ..evidence.words import secs, size
from ..folding import overlap
from ..rule import Rule

_LARGE = 200_000_000
_SHARE = 0.8


def detect(run: Analysis) -> Iterable[Draft]:
    variables = of_model(run)
    large = max(variables, key=lambda v: int(v.attrs.get("bytes") or 0), default=None)
    where = home(large) if large is not None else None
    if large is None or where is None:
        return
    count = int(large.attrs.get("bytes") or 0)
    if count < _LARGE or count < _SHARE * bytes_of(variables):
        return
    slots = [
        v
        for build in run.spans(s.OPTIMIZER_BUILD)
        for v in within(run.spans(s.VARIABLE_INIT), build.start_ns, build.end_ns)
        if int(v.attrs.get("bytes") or 0) == count
    ]
    trained = run.spans(s.GRADIENT, s.TAPE_GRADIENT)
    steps = sum(run.steps.per_interval) if trained else 0
    # A step moves all of it through memory, with its gradient and its slots: its share of the bytes is its share.
    # The first ones take longer than the others, since the memory is new.
    intervals = run.steps.intervals_ns
    prepared = run.spans(s.TRACE, GRAPH_OPTIMIZATION, XLA_COMPILE, s.OPTIMIZER_BUILD, s.VARIABLE_INIT)
    moving = sum(end - start for start, end in intervals)
    moving -= overlap(intervals, [(part.start_ns, part.end_ns) for part in prepared])
    lost = large.seconds + _computing(run, large) + sum(v.seconds for v in slots)
    lost += moving / 1e9 * count / bytes_of(variables) if trained else 0.0
    if lost < 0.5:
        return
    shape = "×".join(str(d) for d in large.attrs.get("shape") or ())
    yield Draft(
        title=f"one weight of {shape} holds {size(count)}, {count / bytes_of(variables):.0%} of the "
        f"model: {secs(lost)}",
        file=where[0],
        line=where[1],
        seconds=lost,
        confidence="medium" if lost >= 1 else "low",
        advice="Pool before a Dense layer (GlobalAveragePooling2D for Flatten); size an embedding by the "
        "data's vocabulary.",
        claims=((large.start_ns, large.end_ns),),
        bytes=count * (1 + len(slots)),
        details={"shape": large.attrs.get("shape"), "bytes": count, "slots": len(slots), "steps": steps},
    )


def _computing(run: Analysis, large: Span) -> float:
    """Seconds that TensorFlow took for the value, where it is made first: `tf.Variable(tf.random.normal(...))`."""
    at = place(large)
    others = Inside(run.spans(s.VARIABLE_INIT, s.IMPORT, s.DEVICE_INIT, s.CALL))
    seen = (
        weight
        for sample, weight in samples(run).between(0, large.start_ns)
        if sample.flags & IN_LIBRARY and (sample.file, sample.line) == at and others.at(sample.at_ns) is None
    )
    return sum(seen) / 1e9 if large.name == "value" else 0.0


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
        "One variable of 200 MB that is at least 80 % of the model's bytes and costs 0.5 s: a model whose "
        "size is spread over its layers is large because it is meant to be."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
