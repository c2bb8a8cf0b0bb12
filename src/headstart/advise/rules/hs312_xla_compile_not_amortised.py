"""XLA's compilation took longer than the run could earn back.

## What it does
Finds functions compiled with `jit_compile=True` whose compilation took longer than all the steps that ran
afterwards, and says after how many steps it would have paid off.

## Why it costs
Compiling with XLA takes seconds per function, ten times what TensorFlow's own optimiser takes, and makes
steps perhaps twice as fast. Short runs, tests and debugging sessions only ever see the price.

## Use instead
Leave `jit_compile` off for short runs (behind a flag, say), or keep the compiled program between runs,
which `headstart run` does.

## Fix safety
No automatic fix: long runs want XLA.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.jit import first_runs_under_xla, switched_on_at
from ..evidence.spans import Inside
from ..evidence.words import secs
from ..rule import Rule

_WORTH_SECONDS = 2.0
_TIMES_THE_STEPS = 3.0
_SHARE = 0.25
"""Of the whole run: a compilation that is a small part of it is not what anybody waits for."""
_WITHOUT_XLA = 0.1
"""The part of XLA's time that TensorFlow's own optimiser would have taken instead."""


def detect(run: Analysis) -> Iterable[Draft]:
    for code, compilations in first_runs_under_xla(run).items():
        spent = sum(ns for _, ns in compilations) / 1e9
        spans = [span for span, _ in compilations]
        # Also those before the last one: Keras' fit and evaluate are of one code, and evaluate comes last.
        calls = Inside([call for call in run.spans(s.CALL) if call.attrs.get("code") == code])
        compiling = {id(calls.holds(span)) for span in spans}
        later = [call.seconds for call in calls.spans if id(call) not in compiling]
        ran = sum(later)
        if spent < max(_WORTH_SECONDS, _SHARE * run.wall_seconds) or spent < _TIMES_THE_STEPS * ran:
            continue
        step = median(later) if later else 0.0
        # If XLA makes a step twice as fast, it saves as much as the step takes now.
        even = f"; it would pay off after some {spent / step:,.0f} steps" if step else ""
        name = spans[0].attrs.get("function", spans[0].name)
        file, line = switched_on_at(run, spans[0], prefer_call=False)
        yield Draft(
            title=f"XLA took {secs(spent)} to compile {name}(), the {len(later)} steps after it {secs(ran)}{even}",
            file=file,
            line=line,
            seconds=max(0.0, spent * (1 - _WITHOUT_XLA) - ran),
            confidence="medium",
            advice="Leave jit_compile off for short runs, or use `headstart run`, which keeps what XLA compiled.",
            claims=tuple((span.start_ns, span.end_ns) for span in spans),
            details={
                "compile_seconds": spent,
                "steps_seconds": ran,
                "break_even_steps": spent / step if step else None,
            },
        )


BAD = """\
import tensorflow as tf

kernels = [tf.Variable(tf.random.normal((3, 3, 16, 16)) * 0.05) for _ in range(240)]


@tf.function(jit_compile=True)
def step(x):
    with tf.GradientTape() as tape:
        h = x
        for kernel in kernels:
            h = h + tf.nn.relu(tf.nn.conv2d(h, kernel, 1, "SAME"))
        loss = tf.reduce_mean(h * h)
    return tape.gradient(loss, kernels)


for i in range(4):
    step(tf.ones((1, 12, 12, 16)))
"""

GOOD = """\
import tensorflow as tf

kernels = [tf.Variable(tf.random.normal((3, 3, 16, 16)) * 0.05) for _ in range(240)]


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        h = x
        for kernel in kernels:
            h = h + tf.nn.relu(tf.nn.conv2d(h, kernel, 1, "SAME"))
        loss = tf.reduce_mean(h * h)
    return tape.gradient(loss, kernels)


for i in range(4):
    step(tf.ones((1, 12, 12, 16)))
"""

RULE = Rule(
    code="HS312",
    slug="xla-compile-not-amortised",
    doc=__doc__,
    symptoms=("jit_compile=True slower than without", "first step takes long with XLA"),
    threshold=(
        "2 s of compilation, and at least three times what all the compiled steps after it took: even if "
        "XLA made the steps four times as fast, this run lost."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
