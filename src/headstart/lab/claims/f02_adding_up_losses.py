"""`total += loss` inside the tape leaks.

## What is measured
An eager training loop of 160 steps that adds each loss to a total inside the tape, and the same loop without:
memory after a collection at the end over that at the beginning, and the time of a step in the last fifth over
the first.

## What happens
Each step has a new tape, which is thrown away with its step; the total is one more tensor, whose number does
not remember how it came to be. Nothing leaks and nothing gets slower. (In PyTorch it does, and that is where
the advice is from: there a tensor keeps its history.)

## What headstart does
HS502 finds memory that does grow, HS505 a tape that is kept open.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import TRAIN_STEP, program
from ..quantities import early_and_late, noted, phases

TOTAL = (
    TRAIN_STEP
    + """\
from headstart.lab.arm import resident_bytes

model = network(2, 32)
optimizer = tf.keras.optimizers.SGD()
x = tf.random.normal((8, 32))
total = tf.constant(0.0)


def step():
    global total
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - x))
        if $total:
            total += loss
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


laps(step, 30)
before = resident_bytes()
with clock("loop"):
    steps = laps(step, 160)
note(steps=steps, before=before, after=resident_bytes())
"""
)

_EARLY, _LATE = early_and_late("with total", "steps", "a step that adds up")

CLAIM = Claim(
    id="F02",
    slug="adding-up-losses",
    doc=__doc__,
    documents=(),
    rule="when",
    arms=(
        Arm(name="with total", program=program(TOTAL, total=True)),
        Arm(name="without", program=program(TOTAL, total=False)),
    ),
    contrasts=(
        Contrast(
            slow=noted("with total", "after", "memory after 160 steps that add up", "bytes"),
            fast=noted("with total", "before", "before them", "bytes"),
            holds_from=1.3,
            fails_below=1.15,
            when="memory is meant",
        ),
        Contrast(
            slow=_LATE, fast=_EARLY, holds_from=2.0, fails_below=1.5, when="the time of a step is meant"
        ),
    ),
    twin=Twin(
        "with total",
        "160 steps",
        "loop",
        phases("steady-steps", "eager-ops", "first-step", "optimizer-setup"),
    ),
    examples=Examples(
        holds={
            "with total": {"before": 5e8, "after": 9e8, "steps": [0.01 * (1 + i / 10) for i in range(100)]},
            "without": {"before": 5e8, "after": 5e8, "steps": [0.01] * 100},
        },
        fails={
            "with total": {"before": 5e8, "after": 5e8, "steps": [0.01] * 100},
            "without": {"before": 5e8, "after": 5e8, "steps": [0.01] * 100},
        },
        partly={
            "with total": {"before": 5e8, "after": 9e8, "steps": [0.01] * 100},
            "without": {"before": 5e8, "after": 5e8, "steps": [0.01] * 100},
        },
    ),
)
