"""Keeping and reusing tensors' memory avoids slow-down.

## What is measured
An eager loop of 400 steps that makes a tensor of 1 MB at each, which is let go, and the same loop with every
tensor kept in a list: the memory of the process after and before, and the time of a step.

## What happens
TensorFlow takes the memory of a tensor that was let go for the next one, so nothing grows. A list of kept
tensors grows by each, and each step must get new memory from the system, which is slower than taking what is at
hand, but not slower from step to step.

## What headstart does
HS502 and HS504 find memory that grows with the steps, and the list or variable that holds it.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import early_and_late, noted, phases

KEEP = """\
import tensorflow as tf
from headstart.lab.arm import clock, laps, note, resident_bytes

x = tf.random.normal((512, 512))
kept = []


def step():
    y = tf.sqrt(tf.abs(x * 1.01 + 0.5))
    if $keep:
        kept.append(y)


laps(step, 20)
kept.clear()
before = resident_bytes()
with clock("loop"):
    steps = laps(step, 400)
note(before=before, after=resident_bytes(), steps=steps)
"""

_EARLY, _LATE = early_and_late("kept", "steps", "a step that keeps its tensor")

CLAIM = Claim(
    id="C29",
    slug="keeping-tensors",
    doc=__doc__,
    documents=("003",),
    rule="when",
    arms=(
        Arm(name="let go", program=program(KEEP, keep=False)),
        Arm(name="kept", program=program(KEEP, keep=True)),
    ),
    contrasts=(
        Contrast(
            slow=noted("kept", "after", "memory after 400 steps that keep their tensors", "bytes"),
            fast=noted("let go", "after", "that let them go", "bytes"),
            holds_from=1.4,
            fails_below=1.15,
            when="memory is meant",
        ),
        Contrast(
            slow=_LATE,
            fast=_EARLY,
            holds_from=2.0,
            fails_below=1.5,
            when="steps are said to get slower and slower",
        ),
    ),
    twin=Twin("kept", "400 steps", "loop", phases("steady-steps", "eager-ops", "first-step", "user-code")),
    examples=Examples(
        holds={
            "let go": {"before": 5e8, "after": 5e8, "steps": [0.001] * 100},
            "kept": {"before": 5e8, "after": 9e8, "steps": [0.001 * (1 + i / 10) for i in range(100)]},
        },
        fails={
            "let go": {"before": 5e8, "after": 5e8, "steps": [0.001] * 100},
            "kept": {"before": 5e8, "after": 5.1e8, "steps": [0.001] * 100},
        },
        partly={
            "let go": {"before": 5e8, "after": 5e8, "steps": [0.001] * 100},
            "kept": {"before": 5e8, "after": 9e8, "steps": [0.001] * 100},
        },
    ),
)
