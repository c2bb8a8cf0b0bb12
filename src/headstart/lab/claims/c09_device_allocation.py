"""Allocating the device and its memory is part of the first step.

## What is measured
The first training step of a process in which nothing has touched the device, against the same step after one
tiny operation has; and the first operation against the second. On a machine with a GPU, the same there.

## What happens
The first operation starts the runtime: it lists the devices, starts thread pools and makes allocators. On a CPU
that is some ten milliseconds, next to nothing beside tracing. A CPU reserves no memory in advance. On a GPU the
first operation also loads the driver's libraries and takes nearly all of its memory.

## What headstart does
`headstart profile` has a phase `device-init`. On a GPU, `tf.config.experimental.set_memory_growth` keeps
TensorFlow from taking all memory at once.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import TRAIN_STEP, program
from ..quantities import noted, phases

DEVICE = (
    TRAIN_STEP
    + """\
import numpy

x = numpy.ones((32, 64), "float32")
with tf.device("$device"):
    if $warm:
        with clock("first_op"):
            tf.constant(1.0) + 1.0
        with clock("second_op"):
            tf.constant(1.0) + 1.0
    with clock("first"):
        w = [tf.Variable(tf.zeros((64, 64))) for _ in range(6)]

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                y = x
                for matrix in w:
                    y = tf.nn.relu(tf.matmul(y, matrix))
                loss = tf.reduce_mean(tf.square(y - x))
            for matrix, gradient in zip(w, tape.gradient(loss, w)):
                matrix.assign_sub(0.01 * gradient)
            return loss

        float(step(x))
"""
)


def _arm(name: str, device: str, warm: bool, needs: str = "") -> Arm:
    # The GPU's driver keeps what an earlier process has loaded, but not what it has allocated.
    return Arm(name=name, program=program(DEVICE, device=device, warm=warm), needs=needs, fresh=bool(needs))


CLAIM = Claim(
    id="C09",
    slug="device-allocation",
    doc=__doc__,
    documents=("000", "002"),
    rule="when",
    arms=(
        _arm("CPU untouched", "/CPU:0", False),
        _arm("CPU touched", "/CPU:0", True),
        _arm("GPU untouched", "/GPU:0", False, "gpu"),
        _arm("GPU touched", "/GPU:0", True, "gpu"),
    ),
    contrasts=(
        Contrast(
            slow=noted("CPU untouched", "first", "the first step on an untouched CPU"),
            fast=noted("CPU touched", "first", "after one operation"),
            holds_from=2.0,
            fails_below=1.5,
            when="the device is a CPU",
            share=True,
        ),
        Contrast(
            slow=noted("GPU untouched", "first", "the first step on an untouched GPU"),
            fast=noted("GPU touched", "first", "after one operation"),
            holds_from=2.0,
            fails_below=1.5,
            when="the device is a GPU",
            share=True,
            needs="gpu",
        ),
    ),
    twin=Twin(
        "CPU touched", "the first operation", "first_op", phases("device-init", "eager-ops", "first-step")
    ),
    examples=Examples(
        holds={
            "CPU untouched": {"first": 0.5},
            "CPU touched": {"first": 0.1},
            "GPU untouched": {"first": 3.0},
            "GPU touched": {"first": 0.2},
        },
        fails={
            "CPU untouched": {"first": 0.22},
            "CPU touched": {"first": 0.2},
            "GPU untouched": {"first": 0.22},
            "GPU touched": {"first": 0.2},
        },
        partly={
            "CPU untouched": {"first": 0.22},
            "CPU touched": {"first": 0.2},
            "GPU untouched": {"first": 3.0},
            "GPU touched": {"first": 0.2},
        },
    ),
)
