"""Programs and pieces of programs that several experiments use. Arms with the same program are run once for all."""

from __future__ import annotations

from string import Template

from .claim import Arm, Contrast
from .quantities import noted

TRAIN_STEP = """\
import tensorflow as tf
from headstart.lab.arm import clock, laps, note


def network(depth, units=64):
    dense = [tf.keras.layers.Dense(units, activation="relu") for _ in range(depth)]
    return tf.keras.Sequential([tf.keras.Input((units,)), *dense])


def training(model, optimizer):
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return step


"""
"""A network of dense layers and its training step, not yet a `tf.function`."""


def program(text: str, **values: object) -> str:
    """A program with `$name` replaced."""
    return Template(text).substitute({name: str(value) for name, value in values.items()})


IMPORT = """\
from headstart.lab.arm import clock, note, process_age

loading = 0.0


def timed(create_dynamic):
    import time

    def create(*arguments):
        global loading
        before, start = loading, time.perf_counter()
        try:
            return create_dynamic(*arguments)
        finally:
            # A library may load others while it is being loaded: those are not counted twice.
            loading = before + time.perf_counter() - start

    return create


import _imp

_imp.create_dynamic = timed(_imp.create_dynamic)
with clock("importing"):
    import tensorflow as tf
note(loading=loading)

# Document 002's first example, timed line by line.
with clock("building"):
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(1024, input_shape=(784,), kernel_initializer="glorot_uniform"),
        tf.keras.layers.Dense(10),
    ])
    model.compile(optimizer="adam", loss="categorical_crossentropy")
    model.build((None, 784))
x, y = tf.random.normal((32, 784)), tf.one_hot(tf.range(32) % 10, 10)
with clock("first_step"):
    model.train_on_batch(x, y)
note(started=process_age())
"""
"""From nothing to the first step of document 002's network: an import, a model, a step."""

WHOLE_START = (
    TRAIN_STEP
    + """\
model = network(6)
step = tf.function(training(model, tf.keras.optimizers.Adam()))
x = tf.random.normal((32, 64))
for _ in range(3):
    step(x, x)
"""
)
"""A whole training program, for what `headstart run` saves."""

START = Arm(name="start", program=IMPORT, fresh=True)

AS_USUAL = Arm(name="as usual", program=WHOLE_START, fresh=True, needs="headstart run")
HEADSTART_RUN = Arm(name="headstart run", program=WHOLE_START, fresh=True, via="run", needs="headstart run")
REMEDY_RUN = Contrast(
    slow=noted("as usual", "process_seconds", "a small training program, start to end, under `python`"),
    fast=noted("headstart run", "process_seconds", "under `headstart run`, the second time"),
    holds_from=1.5,
    fails_below=1.1,
)
"""The third arm of claims whose remedy is a warm start with kept traces and graphs."""
