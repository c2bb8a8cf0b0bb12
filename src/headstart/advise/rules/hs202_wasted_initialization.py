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
from ...record import signals as s
from ..draft import Draft
from ..evidence.initializing import bytes_of, of_model, own_seconds
from ..evidence.places import by_place
from ..evidence.words import secs
from ..rule import Rule

_OVERWRITING = ("load_weights", "set_weights", "Checkpoint.restore", "Checkpoint.read", "Saver.restore")
_CONSTANT = ("Zeros", "Ones", "Constant", "zeros", "ones", "value", "none")
"""Already as cheap as it gets."""
_CONSTANT_BYTES_PER_SECOND = 1.5e9
"""Filling fresh memory with a constant: what stays when the initialiser is a cheap one."""


def detect(run: Analysis) -> Iterable[Draft]:
    variables = of_model(run)
    since = 0
    for load in run.spans(s.LOAD):
        if load.name not in _OVERWRITING:
            continue
        wasted = [v for v in variables if since <= v.start_ns and v.end_ns <= load.start_ns]
        wasted = [v for v in wasted if v.name not in _CONSTANT]
        since = load.end_ns
        steps = [
            x for x in run.spans(s.CALL, s.BATCH, s.SESSION_RUN, s.MODEL_CALL) if x.start_ns < load.start_ns
        ]
        wasted = [v for v in wasted if not any(v.start_ns < x.start_ns for x in steps)]
        lines = by_place(wasted)
        if not lines or int(load.attrs.get("bytes") or 0) < bytes_of(wasted) / 2:
            continue
        lost = own_seconds(run, wasted) - bytes_of(wasted) / _CONSTANT_BYTES_PER_SECOND
        if lost < 0.5:
            continue
        file, line = max(lines, key=lambda where: own_seconds(run, lines[where]))
        yield Draft(
            title=f"weights were initialised for {secs(lost)} and then overwritten by {load.name}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high" if lost >= 1 else "medium",
            advice='Use a constant initialiser (kernel_initializer="zeros") where weights are loaded; '
            "`headstart run` skips it.",
            claims=tuple((v.start_ns, v.end_ns) for v in wasted),
            details={"load": load.name, "path": load.attrs.get("path"), "bytes": bytes_of(wasted)},
        )


BAD = """\
import os
import tempfile

import keras

path = os.path.join(tempfile.mkdtemp(), "w.weights.h5")


def build(initializer):
    dense = keras.layers.Dense(11000, kernel_initializer=initializer)
    return keras.Sequential([keras.Input((11000,)), dense])


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
    dense = keras.layers.Dense(11000, kernel_initializer=initializer)
    return keras.Sequential([keras.Input((11000,)), dense])


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
        "0.5 s of initialisers whose values were overwritten before a step ran. Loads that cover less "
        "than half of the bytes are left alone: a partly loaded model needs its initialisers."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
