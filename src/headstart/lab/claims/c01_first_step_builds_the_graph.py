"""The first training step is much longer than later ones, mainly because the graph is built and optimised in it.

## What is measured
A training step of a 6-layer dense network with Adam, as a `tf.function`: step 1 against the median of 30 later
steps. In a second program the first step is taken apart: the optimizer's variables are made beforehand, the
graph is traced (`get_concrete_function`), then run for the first time (which optimises it).

## What happens
The first call runs the Python code once to record it as a graph (tracing), hands that graph to the optimiser
and places it, and only then computes. Later calls go straight to the computation. Tracing is by far the larger
part: thousands of small operations, each built in Python. It is done twice where the first trace creates
variables, as an optimizer's slots are.

## What headstart does
`headstart profile` shows tracing and graph optimisation as two lines, with the function and its place.
`headstart run` keeps both from the last run.
"""

from __future__ import annotations

from ...analyse.stats import median
from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import AS_USUAL, HEADSTART_RUN, REMEDY_RUN, TRAIN_STEP
from ..quantities import computed, first_step, middle, noted

STEP = (
    TRAIN_STEP
    + """\
model = network(6)
step = tf.function(training(model, tf.keras.optimizers.Adam()))
x = tf.random.normal((32, 64))
with clock("first"):
    step(x, x)
note(steps=laps(lambda: step(x, x), 30))
"""
)

PIECES = (
    TRAIN_STEP
    + """\
model = network(6)
optimizer = tf.keras.optimizers.Adam()
step = tf.function(training(model, optimizer))
x = tf.random.normal((32, 64))
with clock("slots"):
    optimizer.build(model.trainable_variables)
with clock("tracing"):
    traced = step.get_concrete_function(x, x)
with clock("first_run"):
    traced(x, x)
note(steps=laps(lambda: traced(x, x), 30))
"""
)

CLAIM = Claim(
    id="C01",
    slug="first-step-builds-the-graph",
    doc=__doc__,
    documents=("000",),
    arms=(
        Arm(name="step", program=STEP),
        Arm(name="pieces", program=PIECES),
        AS_USUAL,
        HEADSTART_RUN,
    ),
    contrasts=(
        Contrast(
            slow=noted("step", "first", "the first step"),
            fast=middle("step", "steps", "a later step", skip=5),
            holds_from=5,
            fails_below=3,
        ),
        Contrast(
            slow=computed(
                "pieces",
                "what the first step does once",
                lambda n: n["slots"] + n["tracing"] + n["first_run"] - median(n["steps"][5:]),
            ),
            fast=noted("pieces", "slots", "that without building and optimising the graph"),
            holds_from=2,
            fails_below=1.5,
            share=True,
        ),
    ),
    twin=Twin("step", "the first step", "first", first_step),
    remedy=REMEDY_RUN,
    examples=Examples(
        holds={
            "step": {"first": 2.0, "steps": [0.002] * 30},
            "pieces": {"slots": 0.2, "tracing": 0.7, "first_run": 0.2, "steps": [0.002] * 30},
        },
        fails={
            "step": {"first": 0.004, "steps": [0.002] * 30},
            "pieces": {"slots": 0.8, "tracing": 0.1, "first_run": 0.02, "steps": [0.002] * 30},
        },
    ),
)
