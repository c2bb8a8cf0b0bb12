"""A new Python object among the arguments makes a tf.function trace again.

## What it does
Finds calls of a `tf.function` that were traced again because an argument is a new object each time: a bound
method (`net.step` makes a new one at every mention), a lambda, a partial, a config. And those where a list or
a dictionary of tensors has another length or other keys each time.

## Why it costs
TensorFlow cannot know that two objects mean the same, so it goes by identity, and a new object is a new
graph; so is a list that is longer by one. The old graphs are kept.

## Use instead
Make the object once, before the loop, and pass the same one (`step = net.step`); better, pass only tensors
and let the function close over what does not change. A list that grows: one tensor, padded, or
`tf.stack` of it and an `input_signature` whose first dimension is `None`.

## Fix safety
No automatic fix: where the object must be made depends on what it refers to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.retracing import plain_name, storm_draft, storms, top_argument, top_reason
from ..rule import Rule
from ..static.functions import callee, compiled
from ..static.source import Problem, Source


def detect(run: Analysis) -> Iterable[Draft]:
    for group, again in storms(run, "object", lambda group, count: count >= 8 or count >= 0.1 * group.calls):
        name = plain_name(top_argument(again))
        if top_reason(again) == "structure":
            what = f"for each new structure of {name}"
            advice = (
                f"Pass {name} as one tensor, with None for its size in an input_signature; or with the same "
                "keys and length each time."
            )
        else:
            what = f"for each new object in {name}"
            advice = (
                f"Make what you pass as {name} once, before the loop (a bound method is new at every "
                "mention); or tensors."
            )
        yield storm_draft(group, again, what, advice)


def check(source: Source) -> Iterable[Problem]:
    functions = compiled(source)
    for call in source.calls:
        name = callee(call)
        if name is None or name not in functions or not source.loops(call):
            continue
        for value in [*call.args, *(k.value for k in call.keywords)]:
            what = _new_object(source, value)
            if what:
                yield source.problem(
                    call, f"{name}() is traced again in every turn: it gets {what} each time"
                )
                break


def _new_object(source: Source, value: ast.expr) -> str | None:
    if isinstance(value, ast.Lambda):
        return "a new lambda"
    if isinstance(value, ast.Call) and source.called(value) == "functools.partial":
        return "a new partial"
    if (
        isinstance(value, ast.Attribute)
        and isinstance(value.value, ast.Name)
        and value.value.id not in source.imported
    ):
        # `obj.method` without a call: only sure where a class of this file has a method of that name and
        # nothing in the file stores an attribute of that name.
        stored = any(
            isinstance(node, ast.Attribute) and node.attr == value.attr and isinstance(node.ctx, ast.Store)
            for node in source.nodes
        )
        methods = [
            f for f in source.functions.get(value.attr, []) if isinstance(source.parents.get(f), ast.ClassDef)
        ]
        if methods and not stored and not any(f.decorator_list for f in methods):
            return f"a new bound method {value.value.id}.{value.attr}"
    return None


BAD = """\
import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.random.normal((32, 32)))

    def forward(self, x):
        for _ in range(20):
            x = tf.nn.relu(tf.matmul(x, self.w))
        return x


@tf.function
def evaluate(forward, x):
    return tf.reduce_sum(forward(x))


net = Net()
for i in range(40):
    evaluate(net.forward, tf.ones((4, 32)))
"""

GOOD = """\
import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.random.normal((32, 32)))

    def forward(self, x):
        for _ in range(20):
            x = tf.nn.relu(tf.matmul(x, self.w))
        return x


@tf.function
def evaluate(forward, x):
    return tf.reduce_sum(forward(x))


net = Net()
forward = net.forward
for i in range(40):
    evaluate(forward, tf.ones((4, 32)))
"""

RULE = Rule(
    code="HS303",
    slug="retrace-python-object",
    doc=__doc__,
    symptoms=(
        "passing Python objects instead of tensors triggers retracing",
        "bound method retraces tf.function",
    ),
    threshold=(
        "3 traces for objects of one argument that cost 0.5 s together: two models passed to one function "
        "are two graphs that are both wanted. With doubt where each was called 20 times: a model per fold."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
