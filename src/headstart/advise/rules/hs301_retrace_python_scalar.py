"""A Python number that changes makes a tf.function trace again for every value.

## What it does
Finds calls of a `tf.function` that were traced again because an argument is a Python number, string or
boolean with another value than before: a step counter, a learning rate, a temperature.

## Why it costs
A Python value is baked into the graph as a constant, so that each new value needs a new graph: traced,
optimised and kept in memory for good. A step of a millisecond then takes as long as a first step, every
time.

## Use instead
Pass it as a tensor, `tf.constant(step)`, or keep it in a `tf.Variable` that the function reads. Tensors are
inputs of the graph, and their values do not matter to tracing.

## Fix safety
`--fix` wraps the argument in `tf.constant(...)`. Safe where the function only casts it (`tf.cast(step,
...)`); unsafe otherwise, since in `range`, as an index or as a shape a tensor is not a number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.retracing import plain_name, storm_draft, storms, top_argument
from ..rule import Rule
from ..static.functions import callee, compiled, has_signature
from ..static.loops import integers_of
from ..static.source import Edit, FunctionNode, Problem, Source


def detect(run: Analysis) -> Iterable[Draft]:
    # Any four values of a number are a pattern: no flag has that many.
    for group, again in storms(run, "scalar", lambda group, count: True):
        argument = top_argument(again)
        name = plain_name(argument)
        # A number in a list or a tuple: the whole of it may hold what no tensor can.
        written = (
            f"{group.name}(…, tf.constant({name}))" if argument == name else f"tf.constant for {argument}"
        )
        yield storm_draft(
            group,
            again,
            f"for each new value of {name}",
            f"Pass it as a tensor, {written}, or keep it in a tf.Variable.",
        )


def check(source: Source) -> Iterable[Problem]:
    functions = compiled(source)
    for call in source.calls:
        name = callee(call)
        if name is None or name not in functions:
            continue
        target = functions[name]
        decorators: list[ast.expr] = [target] if isinstance(target, ast.Call) else target.decorator_list
        if any(has_signature(node) for node in decorators):
            continue
        integers = set().union(*(integers_of(source, loop) for loop in source.loops(call)), set())
        for position, value in enumerate([*call.args, *(k.value for k in call.keywords)]):
            if isinstance(value, ast.Name) and value.id in integers:
                keyword = next((k.arg for k in call.keywords if k.value is value), None)
                yield Problem(
                    call.lineno,
                    call.col_offset + 1,
                    f"{name}() is traced again for every value of the Python number {value.id!r}",
                    _wrap(source, value),
                    safe=_only_cast(source, target, keyword or position),
                )
                break


def _only_cast(source: Source, target: FunctionNode | ast.Call, which: str | int) -> bool:
    """The function uses the argument in `tf.cast(…)` only, where a tensor is as good as a number."""
    if isinstance(target, ast.Call):
        return False
    names = [a.arg for a in (*target.args.posonlyargs, *target.args.args)]
    if isinstance(which, int):
        names = names[1:] if names[:1] == ["self"] else names
        if which >= len(names):
            return False
        which = names[which]
    uses = [n for n in ast.walk(target) if isinstance(n, ast.Name) and n.id == which]
    calls = [source.parents.get(use) for use in uses]
    return bool(uses) and all(
        isinstance(c, ast.Call) and source.called(c) == "tensorflow.cast" for c in calls
    )


def _wrap(source: Source, value: ast.Name) -> tuple[Edit, ...]:
    alias = next((n for n, target in source.imported.items() if target == "tensorflow"), None)
    if alias is None:
        return ()
    return (Edit(source.start(value), source.end(value), f"{alias}.constant({value.id})"),)


BAD = """\
import tensorflow as tf

weights = tf.Variable(tf.random.normal((64, 64)))


@tf.function
def train_step(x, step):
    for _ in range(20):
        x = tf.nn.relu(tf.matmul(x, weights)) / (tf.cast(step, tf.float32) + 1.0)
    return tf.reduce_sum(x)


for step in range(40):
    train_step(tf.ones((8, 64)), step)
"""

GOOD = """\
import tensorflow as tf

weights = tf.Variable(tf.random.normal((64, 64)))


@tf.function
def train_step(x, step):
    for _ in range(20):
        x = tf.nn.relu(tf.matmul(x, weights)) / (tf.cast(step, tf.float32) + 1.0)
    return tf.reduce_sum(x)


for step in range(40):
    train_step(tf.ones((8, 64)), tf.constant(step))
"""

RULE = Rule(
    code="HS301",
    slug="retrace-python-scalar",
    doc=__doc__,
    symptoms=(
        "triggered tf.function retracing",
        "tf.function is slower than eager",
        "every step is as slow as the first",
        "memory grows with the step number",
    ),
    threshold=(
        "3 traces for values of one argument that cost 0.5 s together: a flag such as `training` has two "
        "values, and both of its traces are wanted. With doubt for fewer than 8 that were called 50 times each."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="unsafe",
)
