"""`tf.function` makes later steps fast, and its first call still pays.

## What is measured
The same training step (6 dense layers, SGD) run eagerly and as a `tf.function`, in processes of their own: step
1 and the median of later steps.

## What happens
Eagerly, each of some hundred operations goes through Python at every step. As a graph, Python is left once for
the whole step. That is paid in the first call, which traces and optimises.

## What headstart does
HS309 finds a hot loop that runs eagerly, with the line of the loop and what a step of it costs.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import TRAIN_STEP, program
from ..quantities import first_step, middle, noted

TRAIN = (
    TRAIN_STEP
    + """\
model = network(6)
step = training(model, tf.keras.optimizers.SGD())
x = tf.random.normal((32, 64))
model(x)  # the first operation of a process is neither's
if $graph:
    step = tf.function(step)
with clock("first"):
    step(x, x)
note(steps=laps(lambda: step(x, x), 40))
"""
)
EAGER = Arm(name="eager", program=program(TRAIN, graph=False))
GRAPH = Arm(name="tf.function", program=program(TRAIN, graph=True))
"""Another claim compares these two as well."""

CLAIM = Claim(
    id="C08",
    slug="tf-function-first-call-pays",
    doc=__doc__,
    documents=("000", "001"),
    arms=(EAGER, GRAPH),
    contrasts=(
        Contrast(
            slow=middle("eager", "steps", "a later eager step", skip=10),
            fast=middle("tf.function", "steps", "a later step of the tf.function", skip=10),
            holds_from=2,
            fails_below=1.4,
        ),
        Contrast(
            slow=noted("tf.function", "first", "its first step"),
            fast=middle("tf.function", "steps", "its later steps", skip=10),
            holds_from=10,
            fails_below=4,
        ),
    ),
    twin=Twin("tf.function", "the first step of the tf.function", "first", first_step),
    remedy=Contrast(
        slow=middle("eager", "steps", "a step as found", skip=10),
        fast=middle("tf.function", "steps", "a step with @tf.function, as HS309 advises", skip=10),
        holds_from=2,
        fails_below=1.4,
    ),
    examples=Examples(
        holds={
            "eager": {"first": 0.05, "steps": [0.02] * 40},
            "tf.function": {"first": 0.5, "steps": [0.001] * 40},
        },
        fails={
            "eager": {"first": 0.05, "steps": [0.001] * 40},
            "tf.function": {"first": 0.002, "steps": [0.001] * 40},
        },
    ),
)
