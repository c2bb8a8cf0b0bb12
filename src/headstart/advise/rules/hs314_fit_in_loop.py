"""`fit` is called for a batch at a time.

## What it does
Finds `model.fit(...)` or `model.evaluate(...)` in a loop with one or two batches each time: online learning
over samples, reinforcement learning after every move.

## Why it costs
Each call builds a data pipeline, an iterator and callbacks, and tears them down: 50 to 150 ms around a step
that takes one.

## Use instead
`model.train_on_batch(x, y)` for a step at a time; or one `fit` over a data set (`from_generator` if the
data comes piece by piece), with a callback for what happens between the steps.

## Fix safety
No automatic fix: `train_on_batch` returns numbers, not a history.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.keras_calls import small_calls
from ..evidence.words import secs
from ..rule import Rule
from ..static.source import Problem, Source
from .hs310_predict_in_loop import _one_sample

_DIRECT_CALL_SECONDS = 0.003
"""What `train_on_batch` takes around its step: the part of each call that stays."""


def detect(run: Analysis) -> Iterable[Draft]:
    for (file, line), calls, prepared in small_calls(run, ("fit", "evaluate"), batches=2):
        lost = prepared - _DIRECT_CALL_SECONDS * len(calls)
        if lost < 1.0:
            continue
        name = calls[0].name
        other = "train_on_batch" if name == "fit" else "test_on_batch"
        yield Draft(
            title=f"{name}() was called {len(calls)} times for a batch or two, {secs(lost / len(calls))} too much "
            f"a time: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high",
            advice=f"Use model.{other}(x, y), or one {name}() over a data set with a callback for what "
            "happens in between.",
            claims=tuple((c.start_ns, c.end_ns) for c in calls),
            details={"calls": len(calls)},
        )


def check(source: Source) -> Iterable[Problem]:
    if not source.uses_tensorflow:
        return
    for call in source.calls:
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr != "fit" or not call.args:
            continue
        if source.loops(call) and _one_sample(source, call.args[0]):
            yield source.problem(
                call, f"{source.segment(func)}() on one sample in a loop: use train_on_batch"
            )


BAD = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16), keras.layers.Dense(1)])
model.compile("sgd", "mse")
x, y = np.ones((60, 8), "float32"), np.ones((60, 1), "float32")
for i in range(60):
    model.fit(x[i : i + 1], y[i : i + 1], verbose=0)
"""

GOOD = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16), keras.layers.Dense(1)])
model.compile("sgd", "mse")
x, y = np.ones((60, 8), "float32"), np.ones((60, 1), "float32")
for i in range(60):
    model.train_on_batch(x[i : i + 1], y[i : i + 1])
"""

RULE = Rule(
    code="HS314",
    slug="fit-in-loop",
    doc=__doc__,
    symptoms=("calling model.fit in a loop is slow", "fit per sample", "online training with keras slow"),
    threshold=(
        "20 calls at one line of at most 2 batches each, whose preparations took 1 s together: a `fit` "
        "per epoch or per fold has hundreds of batches to pay for it."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
