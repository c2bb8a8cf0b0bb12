"""One gradient tape stays open over many steps.

## What it does
Finds a `GradientTape` that records step after step: opened around the loop instead of inside it, persistent
and never dropped.

## Why it costs
A tape keeps every operation and its intermediate results. Each gradient walks back over all that was
recorded: step n costs n times the first, and so does its memory.

## Use instead
Open a new tape for every step, inside the loop: `with tf.GradientTape() as tape:` around the forward pass
only.

## Fix safety
No automatic fix: what must be recorded across steps is not in the line.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.words import secs
from ..rule import Rule
from ..static.source import Problem, Source

_GRADIENTS = 5
_GROWTH = 1.5
"""How much longer the last gradients must take than the first."""


def detect(run: Analysis) -> Iterable[Draft]:
    by_tape: dict[object, list[Span]] = defaultdict(list)
    for span in run.spans(s.TAPE_GRADIENT):
        if span.attrs.get("tape") and span.attrs.get("opened"):
            by_tape[span.attrs["tape"]].append(span)
    for gradients in by_tape.values():
        if len(gradients) < _GRADIENTS:
            continue
        taken = [g.end_ns - g.start_ns for g in gradients]
        third = max(2, len(taken) // 3)
        early, late = median(taken[:third]), median(taken[-third:])
        if late < _GROWTH * early:
            continue
        least = min(taken[: max(3, third)])
        lost = sum(max(0, t - least) for t in taken) / 1e9
        if lost < 0.5:
            continue
        file, line, *_ = gradients[0].attrs["opened"]
        yield Draft(
            title=f"one gradient tape stayed open over {len(gradients)} gradients, the last ones took "
            f"{late / max(1, early):.0f} times as long as the first: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high",
            advice="Open a new tape for every step, inside the loop: with tf.GradientTape() as tape: …",
            claims=((gradients[0].start_ns, gradients[-1].end_ns),),
            details={"gradients": len(gradients)},
        )


def check(source: Source) -> Iterable[Problem]:
    """`with GradientTape(persistent=True) as tape:` around a loop that asks it for gradients."""
    for node in source.nodes:
        if not isinstance(node, ast.With):
            continue
        for item in node.items:
            call, name = item.context_expr, item.optional_vars
            if not isinstance(call, ast.Call) or source.called(call) != "tensorflow.GradientTape":
                continue
            if not isinstance(name, ast.Name):
                continue
            for inner in ast.walk(node):
                if (
                    isinstance(inner, ast.Call)
                    and isinstance(inner.func, ast.Attribute)
                    and inner.func.attr == "gradient"
                    and isinstance(inner.func.value, ast.Name)
                    and inner.func.value.id == name.id
                    and any(loop in ast.walk(node) for loop in source.loops(inner))
                ):
                    yield source.problem(
                        node, "this tape records every turn of the loop inside it: open it in the loop"
                    )
                    break


BAD = """\
import tensorflow as tf

w = tf.Variable(tf.random.normal((256, 256)) * 0.05)
x = tf.ones((256, 256))
total = 0.0
with tf.GradientTape(persistent=True) as tape:
    for step in range(60):
        total += tf.reduce_mean((tf.matmul(x, w) - x) ** 2)
        with tape.stop_recording():
            w.assign_sub(0.01 * tape.gradient(total, w))
print(float(total))
"""

GOOD = """\
import tensorflow as tf

w = tf.Variable(tf.random.normal((256, 256)) * 0.05)
x = tf.ones((256, 256))
total = 0.0
for step in range(60):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) - x) ** 2)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    total += float(loss)
print(total)
"""

RULE = Rule(
    code="HS505",
    slug="tape-kept-open",
    doc=__doc__,
    symptoms=("GradientTape memory leak", "gradient gets slower every step", "persistent tape slow"),
    threshold=(
        "5 gradients or more from one tape that take longer and longer, and 0.5 s more than as many first "
        "ones: two gradients from a persistent tape (two players, second derivatives) are what it is for."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
