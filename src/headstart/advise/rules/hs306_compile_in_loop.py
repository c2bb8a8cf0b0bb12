"""A Keras model is compiled again in the loop.

## What it does
Finds a `model.compile(...)` that runs again and again on the same model: GAN loops that toggle `trainable`,
schedules that compile to change the learning rate, `compile` next to every `fit`.

## Why it costs
`compile` itself takes milliseconds, but it throws away the compiled train function and makes a new optimizer:
the next batch is traced twice (the optimizer's slots are created in the first trace) and optimised again.

## Use instead
Compile once. Change a rate with `model.optimizer.learning_rate.assign(...)`; train two players with two
optimizers in one custom `train_step`, each with its own list of variables.

## Fix safety
No automatic fix: a compile also resets the optimizer's state, and code may rely on that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule
from ..static.loops import assigned, loop_variables
from ..static.source import Problem, Source


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


def check(source: Source) -> Iterable[Problem]:
    if not source.uses_tensorflow:
        return
    for call in source.calls:
        func = call.func
        if (
            not isinstance(func, ast.Attribute)
            or func.attr != "compile"
            or not isinstance(func.value, ast.Name)
        ):
            continue
        given = {keyword.arg for keyword in call.keywords}
        if func.value.id in source.imported or not ({"optimizer", "loss"} & given or call.args):
            continue
        loops = source.loops(call)
        if not loops:
            continue
        # A model that the loop makes must be compiled there.
        fresh = any(func.value.id in assigned(loop) | loop_variables(loop) for loop in loops)
        if not fresh and not _guarded(source, call):
            yield source.problem(
                call, f"{func.value.id}.compile() in a loop: each one makes the next batch trace again"
            )


def _guarded(source: Source, call: ast.Call) -> bool:
    """Under an `if` in the loop it may run once or twice only: phases of a fine-tuning."""
    for above in source.ancestors(call):
        if isinstance(above, (ast.If, ast.Try)):
            return True
        if isinstance(above, (ast.For, ast.AsyncFor, ast.While)):
            return False
    return False


BAD = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])
x, y = np.ones((64, 8), "float32"), np.ones((64, 1), "float32")
for rate in (0.1, 0.05, 0.02, 0.01, 0.005, 0.002):
    model.compile(optimizer=keras.optimizers.SGD(rate), loss="mse")
    model.fit(x, y, verbose=0)
"""

GOOD = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])
x, y = np.ones((64, 8), "float32"), np.ones((64, 1), "float32")
model.compile(optimizer=keras.optimizers.SGD(0.1), loss="mse")
for rate in (0.1, 0.05, 0.02, 0.01, 0.005, 0.002):
    model.optimizer.learning_rate.assign(rate)
    model.fit(x, y, verbose=0)
"""

RULE = Rule(
    code="HS306",
    slug="compile-in-loop",
    doc=__doc__,
    symptoms=(
        "GAN training gets slow after compile",
        "train_on_batch slow after setting trainable",
        "compile in a loop",
    ),
    threshold=(
        "One model compiled 3 times or more and 0.5 s of tracing after the first: compiling twice, once for the "
        "head and once for fine-tuning, is how that is done."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
