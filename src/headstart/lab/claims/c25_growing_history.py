"""The gradient gets more expensive as the graph grows.

## What is measured
An eager loop of 45 steps that takes a gradient at each: with one persistent tape open over the whole history,
and with a fresh tape for each step. The last fifth of the steps over the first.

## What happens
A tape holds what was computed under it. While it stays open and the state of each step comes from the last, the
gradient walks back through all earlier steps, and each step costs more. With a fresh tape there is only one
step to walk back over. So it is true of a history that one keeps, and of nothing else.

## What headstart does
HS505 finds a tape that is kept open over the steps, with the line where it was opened.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import early_and_late, middle, phases

HISTORY = """\
import tensorflow as tf
from headstart.lab.arm import clock, laps, note

w = tf.Variable(1.001)
x = tf.ones((10, 10))


def forward(x):
    for _ in range(5):
        x = x * w
    return x


def with_history():
    global x
    x = forward(x)
    tape.gradient(x, w)


def fresh():
    global x
    with tf.GradientTape() as short:
        y = forward(x)
    short.gradient(y, w)
    x = y


if $history:
    with tf.GradientTape(persistent=True) as tape:
        with clock("loop"):
            steps = laps(with_history, 45)
else:
    with clock("loop"):
        steps = laps(fresh, 45)
note(steps=steps)
"""

_EARLY, _LATE = early_and_late("history", "steps", "a step under one tape", skip=2)

CLAIM = Claim(
    id="C25",
    slug="growing-history",
    doc=__doc__,
    documents=("003",),
    rule="when",
    arms=(
        Arm(name="history", program=program(HISTORY, history=True)),
        Arm(name="fresh tape", program=program(HISTORY, history=False)),
    ),
    contrasts=(
        Contrast(
            slow=_LATE,
            fast=_EARLY,
            holds_from=2.5,
            fails_below=1.6,
            when="one tape is kept open over the whole history",
        ),
        Contrast(
            slow=early_and_late("fresh tape", "steps", "a step with a fresh tape", skip=2)[1],
            fast=early_and_late("fresh tape", "steps", "a step with a fresh tape", skip=2)[0],
            holds_from=2.5,
            fails_below=1.6,
            when="each step has a tape of its own",
        ),
    ),
    twin=Twin(
        "history",
        "45 steps under one tape",
        "loop",
        phases("steady-steps", "eager-ops", "first-step", "user-code"),
    ),
    remedy=Contrast(
        slow=_LATE,
        fast=middle("fresh tape", "steps", "with a fresh tape, as HS505 advises", skip=2),
        holds_from=2.5,
        fails_below=1.6,
    ),
    examples=Examples(
        holds={
            "history": {"steps": [0.001 * (1 + i) for i in range(60)]},
            "fresh tape": {"steps": [0.001 * (1 + i) for i in range(60)]},
        },
        fails={"history": {"steps": [0.001] * 60}, "fresh tape": {"steps": [0.001] * 60}},
        partly={
            "history": {"steps": [0.001 * (1 + i) for i in range(60)]},
            "fresh tape": {"steps": [0.001] * 60},
        },
    ),
)
