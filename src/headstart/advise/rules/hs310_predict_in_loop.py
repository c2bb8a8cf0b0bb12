"""`predict` is called for one sample at a time.

## What it does
Finds `model.predict(...)` in a loop with a single small batch each time: an agent that asks for one action,
a service that answers one request, a loop over images.

## Why it costs
`predict` is made for whole data sets: each call builds a data pipeline, an iterator, progress and
callbacks, and tears them down, 30 to 60 ms around an answer that takes one.

## Use instead
Call the model: `model(x, training=False)`, or a `tf.function` around that; or collect the samples and
predict once.

## Fix safety
`--fix` turns `model.predict(x, verbose=0)` into `np.asarray(model(x, training=False))`. Unsafe where x is
not an array of the model's own type, or larger than fits in one batch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.keras_calls import small_calls
from ..evidence.words import secs
from ..rule import Rule
from ..static.loops import comprehended
from ..static.source import Edit, Problem, Source

_DIRECT_CALL_SECONDS = 0.002
"""What calling a small model directly takes: the part of each `predict` that stays."""


def detect(run: Analysis) -> Iterable[Draft]:
    for (file, line), calls, prepared in small_calls(run, ("predict",), batches=1):
        lost = prepared - _DIRECT_CALL_SECONDS * len(calls)
        if lost < 1.0:
            continue
        yield Draft(
            title=f"predict() was called {len(calls)} times for one batch each, {secs(lost / len(calls))} too much "
            f"a time: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high",
            advice="Call the model itself, model(x, training=False), or collect the samples and call predict once.",
            claims=tuple((c.start_ns, c.end_ns) for c in calls),
            details={"calls": len(calls)},
        )


def check(source: Source) -> Iterable[Problem]:
    """`predict` in a loop on something that is visibly one sample."""
    if not source.uses_tensorflow:
        return
    for call in source.calls:
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr != "predict" or not call.args:
            continue
        if not (source.loops(call) or comprehended(source, call)) or not _one_sample(source, call.args[0]):
            continue
        model = source.segment(func.value)
        yield source.problem(
            call,
            f"{model}.predict() on one sample in a loop: call {model}(x, training=False)",
            _edit(source, call),
        )


def _one_sample(source: Source, node: ast.expr) -> bool:
    """`x[None]`, `x[np.newaxis, :]`, `np.expand_dims(x, 0)`, `x.reshape(1, -1)`, `np.array([x])`, `[x]`."""
    if isinstance(node, ast.Subscript):
        index = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        if isinstance(index, ast.Constant):
            return index.value is None
        if isinstance(index, ast.Attribute):
            return index.attr == "newaxis"
        return isinstance(index, ast.Slice) and _one_wide(source, index)
    if isinstance(node, ast.List):
        return len(node.elts) == 1
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name == "expand_dims":
        axis = (
            node.args[1]
            if len(node.args) > 1
            else next((k.value for k in node.keywords if k.arg == "axis"), None)
        )
        return axis is not None and source.integer(axis) == 0
    if name == "reshape":
        shape = node.args[0] if node.args else None
        # np.reshape(x, (1, -1)) and x.reshape(1, -1) and x.reshape((1, -1))
        if source.dotted(node.func) and len(node.args) > 1:
            shape = node.args[1]
        first = shape.elts[0] if isinstance(shape, (ast.Tuple, ast.List)) and shape.elts else shape
        return first is not None and source.integer(first) == 1
    if name in ("array", "asarray", "stack", "constant", "convert_to_tensor") and node.args:
        return isinstance(node.args[0], ast.List) and len(node.args[0].elts) == 1
    if name == "astype":
        return isinstance(node.func, ast.Attribute) and _one_sample(source, node.func.value)
    return False


def _one_wide(source: Source, index: ast.Slice) -> bool:
    """`x[i : i + 1]`."""
    upper = index.upper
    return (
        index.step is None
        and index.lower is not None
        and isinstance(upper, ast.BinOp)
        and isinstance(upper.op, ast.Add)
        and ast.dump(upper.left) == ast.dump(index.lower)
        and source.integer(upper.right) == 1
    )


def _edit(source: Source, call: ast.Call) -> tuple[Edit, ...]:
    numpy = next((name for name, target in source.imported.items() if target == "numpy"), None)
    if numpy is None or len(call.args) != 1 or any(k.arg != "verbose" for k in call.keywords):
        return ()
    assert isinstance(call.func, ast.Attribute)
    if "#" in source.segment(call):
        return ()  # a comment between the arguments would be lost
    model, x = source.segment(call.func.value), source.segment(call.args[0])
    return (Edit(source.start(call), source.end(call), f"{numpy}.asarray({model}({x}, training=False))"),)


BAD = """\
import keras
import numpy as np

policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16), keras.layers.Dense(2)])
state = np.ones(4, "float32")
for move in range(60):
    q = policy.predict(state[None], verbose=0)
    state = state * 0.9 + q.max() * 0.01
print(state)
"""

GOOD = """\
import keras
import numpy as np

policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16), keras.layers.Dense(2)])
state = np.ones(4, "float32")
for move in range(60):
    q = np.asarray(policy(state[None], training=False))
    state = state * 0.9 + q.max() * 0.01
print(state)
"""

RULE = Rule(
    code="HS310",
    slug="predict-in-loop",
    doc=__doc__,
    symptoms=(
        "model.predict is slow in a loop",
        "predict much slower than calling the model",
        "predict leaks memory",
    ),
    threshold=(
        "20 calls at one line of at most one batch each, whose preparations took 1 s together: predicting "
        "a whole set once an epoch is what `predict` is for."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="unsafe",
)
