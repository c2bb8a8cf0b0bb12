"""A step was traced twice because its first trace created variables.

## What it does
Finds functions whose first trace had to be thrown away: it created variables (usually the optimizer's
slots), so that TensorFlow traced everything again to have them as inputs.

## Why it costs
The whole of tracing is paid twice. Every Keras `fit` does this in a fresh process: for a ResNet50 it is
seven to nine of the thirty-six seconds before its first step.

## Use instead
Create the optimizer's variables before the first step: `model.optimizer.build(model.trainable_variables)`
after `compile` (and after the model is built), or `optimizer.build(variables)` before a custom loop.
`headstart run` does so by itself.

## Fix safety
`--fix` adds the line after `compile`, where the model is visibly built by then. Safe: the same variables
are created with the same values, a little earlier.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from statistics import median

from ...analyse.model import Analysis
from ...analyse.retraces import VARIABLES_CREATED, explain_retraces
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.spans import Inside, within
from ..evidence.words import secs
from ..rule import Rule
from ..static.source import Problem, Source

_WORTH_A_LINE = 2.0
"""Seconds. Nearly every `fit` traces twice; in a small model nobody minds."""


def detect(run: Analysis) -> Iterable[Draft]:
    """At any depth: Keras' step is traced inside the function that takes the iterator."""
    by_function: dict[object, list[Span]] = defaultdict(list)
    for trace in run.spans(s.TRACE):
        if trace.attrs.get("fn"):
            by_function[trace.attrs["fn"]].append(trace)
    for traces in by_function.values():
        for first, second, why in zip(traces, traces[1:], explain_retraces(traces), strict=False):
            if why.reason != VARIABLES_CREATED:
                continue
            lost = first.seconds + _lifting(first, second) - _creating(run, first)
            if lost < 0.5:
                continue
            yield Draft(
                title=f"{first.name}() was traced twice, because the first trace created variables: {secs(lost)}",
                file=why.file,
                line=why.line,
                seconds=lost,
                confidence="medium" if lost >= _WORTH_A_LINE else "low",
                advice="Before the first step, create the optimizer's variables: "
                "model.optimizer.build(model.trainable_variables)",
                claims=((first.start_ns, first.end_ns),),
                details={"first_trace_seconds": first.seconds, "second_trace_seconds": why.seconds},
            )
            break


def _lifting(first: Span, second: Span) -> float:
    """Between the two traces the variables get their values, by a graph that is traced for it. All is one call: what is
    longer than the trace itself is something else."""
    gap = (second.start_ns - first.end_ns) / 1e9
    return gap if 0 <= gap <= first.seconds else 0.0


def _creating(run: Analysis, first: Span) -> float:
    """What the same variables take outside of a trace, where each is made by one operation: by those of this run."""
    made = run.spans(s.VARIABLE_INIT)
    inside = len(within(made, first.start_ns, first.end_ns))
    traced = Inside(run.spans(s.TRACE))
    outside = [span.seconds for span in made if traced.at(span.start_ns) is None]
    return inside * (median(outside) if outside else 0.001)


def check(source: Source) -> Iterable[Problem]:
    """Only for the large models of `keras.applications`: for small ones the second trace is not worth a line."""
    large = {
        target.id
        for node in source.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and (source.called(node.value) or "").startswith("keras.applications.")
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    if not large or any(isinstance(c.func, ast.Attribute) and c.func.attr == "build" for c in source.calls):
        return
    for call in source.calls:
        func = call.func
        if (
            not isinstance(func, ast.Attribute)
            or func.attr != "compile"
            or not isinstance(func.value, ast.Name)
        ):
            continue
        statement = source.parents.get(call)
        if func.value.id in large and isinstance(statement, ast.Expr) and statement.end_lineno is not None:
            name = func.value.id
            line = f"{name}.optimizer.build({name}.trainable_variables)"
            last = statement.end_lineno
            # There must be a line below, and nothing else on this one that may want the optimizer.
            below = last < len(source.lines) and ";" not in source.lines[last - 1]
            edits = source.new_line(source.offset(last + 1, 0), statement, line) if below else ()
            yield source.problem(
                call, f"{name}.fit() will trace its step twice: build the optimizer after compile", edits
            )


BAD = """\
import keras
import numpy as np

model = keras.applications.MobileNetV2(weights=None, input_shape=(32, 32, 3), classes=10)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.fit(np.zeros((8, 32, 32, 3), "float32"), np.zeros(8), verbose=0)
"""

GOOD = """\
import keras
import numpy as np

model = keras.applications.MobileNetV2(weights=None, input_shape=(32, 32, 3), classes=10)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.optimizer.build(model.trainable_variables)
model.fit(np.zeros((8, 32, 32, 3), "float32"), np.zeros(8), verbose=0)
"""

RULE = Rule(
    code="HS315",
    slug="traced-twice",
    doc=__doc__,
    symptoms=("first step of fit takes twice as long", "train_step is traced twice", "slow first epoch"),
    threshold=(
        "0.5 s in the first trace: true of nearly every `fit`, and not worth a line for a small model; "
        "below 2 s the confidence is low."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="safe",
)
