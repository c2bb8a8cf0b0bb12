"""XLA compiles again for every new shape.

## What it does
Finds functions with `jit_compile=True` (or a Keras model compiled with it) that get tensors of many
different shapes.

## Why it costs
XLA generates machine code for exact shapes. A signature with open axes stops TensorFlow from tracing again,
but not XLA from compiling: each new length costs a whole compilation, often more than the steps it serves.

## Use instead
Pad to one or a few fixed lengths (buckets), use `drop_remainder=True` for the last batch, or leave XLA off
for data whose shape changes.

## Fix safety
No automatic fix: padding changes the data, and masks may be needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...analyse.first_runs import XLA_COMPILE
from ...analyse.model import Analysis
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.jit import calls_of, switched_on_at
from ..evidence.words import secs, times
from ..rule import Rule

_COMPILATIONS = 3


def detect(run: Analysis) -> Iterable[Draft]:
    by_function: dict[tuple[str, object], list[Span]] = defaultdict(list)
    for span in run.spans(XLA_COMPILE):
        # By object, too: the steps of fit and of evaluate, and those of several models, are the same code of Keras'.
        by_function[(str(span.attrs.get("code", span.name)), span.attrs.get("fn"))].append(span)
    for compilations in by_function.values():
        again = compilations[1:]
        if len(compilations) < _COMPILATIONS:
            continue
        lost_ns, claims = calls_of(run, again)
        lost = lost_ns / 1e9
        if lost < 0.5:
            continue
        first = compilations[0]
        name = first.attrs.get("function", first.name)
        file, line = switched_on_at(run, first, prefer_call=True)
        yield Draft(
            title=f"XLA compiled {name}() {times(len(compilations))}, for each new shape of its inputs: "
            f"{secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high" if len(again) >= 4 else "medium",
            advice="Pad to one or a few fixed lengths (drop_remainder=True for the last batch), or leave "
            "jit_compile off.",
            claims=claims,
            details={"function": name, "compilations": len(compilations)},
        )


BAD = """\
import tensorflow as tf

weights = tf.Variable(tf.random.normal((64, 64)))


@tf.function(jit_compile=True, reduce_retracing=True)
def score(x):
    for _ in range(10):
        x = tf.nn.relu(tf.matmul(x, weights))
    return tf.reduce_sum(x)


for length in range(10, 40):
    score(tf.ones((length, 64)))
"""

GOOD = """\
import tensorflow as tf

weights = tf.Variable(tf.random.normal((64, 64)))


@tf.function(jit_compile=True)
def score(x):
    for _ in range(10):
        x = tf.nn.relu(tf.matmul(x, weights))
    return tf.reduce_sum(x)


for length in range(10, 40):
    score(tf.pad(tf.ones((length, 64)), [[0, 40 - length], [0, 0]]))
"""

RULE = Rule(
    code="HS311",
    slug="xla-recompile",
    doc=__doc__,
    symptoms=("jit_compile=True is slow with variable length", "XLA compiles at every step"),
    threshold=(
        "3 compilations of one function for different shapes that cost 0.5 s together: one compilation is "
        "the price of XLA, a second one the shorter last batch."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
