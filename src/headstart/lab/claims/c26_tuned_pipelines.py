"""Prefetching, batching and parallel mapping remove the input bottleneck.

## What is measured
Training steps fed by a `tf.data` pipeline as one first writes it (map, then batch) and tuned, in two
situations: elements that must be waited for, as from slow storage (4 ms each; tuned: sixteen at a time, and
prefetched), and elements that are small (tuned: batched first, mapped by the batch, and prefetched).

## What happens
A pipeline without `num_parallel_calls` and `prefetch` does one thing at a time: wait for an element, then the
next, then train, then wait again. Waiting can be overlapped at will. For small elements the cost is the call of
the map's function for each, and batching first divides the number of calls by the batch size.

## What headstart does
HS401 finds steps that wait for input without prefetching, HS406 a serial map, HS402 Python in a pipeline; the
phase `data-wait` has the seconds.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import noted, phases

PIPELINE = """\
import time
import numpy
import tensorflow as tf
from headstart.lab.arm import clock

w = tf.Variable(tf.random.normal((64, 64)))


@tf.function
def step(x):
    w.assign_sub(0.001 * tf.matmul(x, x, transpose_a=True))


def read(i):
    def wait(i):
        time.sleep(0.004)
        return numpy.float32(i)

    return tf.fill((64,), tf.ensure_shape(tf.numpy_function(wait, [i], tf.float32), ()))


def scale(x):
    y = tf.cast(x, tf.float32)[..., tf.newaxis] / 6400.0
    for power in range(20):
        y = tf.sin(y + power)
    return y * tf.ones((64,))


def pipeline(name):
    if name == "waiting naive":
        return tf.data.Dataset.range(256).map(read).batch(16)
    if name == "waiting tuned":
        options = tf.data.Options()
        options.threading.private_threadpool_size = 16  # else no more at a time than there are cores
        data = tf.data.Dataset.range(256).map(read, num_parallel_calls=16).batch(16).prefetch(2)
        return data.with_options(options)
    if name == "small naive":
        return tf.data.Dataset.range(6400).map(scale).batch(64)
    return tf.data.Dataset.range(6400).batch(64).map(scale).prefetch(2)


for x in pipeline("$name").take(1):
    step(x)
with clock("epoch"):
    for x in pipeline("$name"):
        step(x)
"""


def _arm(name: str) -> Arm:
    return Arm(name=name, program=program(PIPELINE, name=name))


def _contrast(kind: str, when: str) -> Contrast:
    return Contrast(
        slow=noted(f"{kind} naive", "epoch", "an epoch with the pipeline as first written"),
        fast=noted(f"{kind} tuned", "epoch", "tuned"),
        holds_from=1.8,
        fails_below=1.3,
        when=when,
    )


def _made_up(waiting: float, small: float) -> dict[str, dict[str, float]]:
    return {
        "waiting naive": {"epoch": waiting},
        "waiting tuned": {"epoch": 0.1},
        "small naive": {"epoch": small},
        "small tuned": {"epoch": 0.1},
    }


CLAIM = Claim(
    id="C26",
    slug="tuned-pipelines",
    doc=__doc__,
    documents=("003",),
    rule="when",
    arms=(_arm("waiting naive"), _arm("waiting tuned"), _arm("small naive"), _arm("small tuned")),
    contrasts=(
        _contrast("waiting", "elements must be waited for"),
        _contrast("small", "elements are small and many"),
    ),
    twin=Twin(
        "waiting naive",
        "an epoch with the naive pipeline",
        "epoch",
        phases("data-wait", "steady-steps", "data-warmup", "first-step", "user-code"),
    ),
    remedy=Contrast(
        slow=noted("waiting naive", "epoch", "an epoch as found"),
        fast=noted(
            "waiting tuned", "epoch", "with a parallel map and prefetching, as HS401 and HS406 advise"
        ),
        holds_from=1.8,
        fails_below=1.3,
    ),
    examples=Examples(holds=_made_up(0.8, 0.6), fails=_made_up(0.1, 0.1), partly=_made_up(0.8, 0.1)),
)
