"""Building the graph once, outside the loop, avoids repeated cost (TensorFlow 1).

## What is measured
Document 004's first example in a loop of 20 runs: with the graph and its session made once, and made anew for
each run.

## What happens
It is so. A new graph must be built, handed to a new session, pruned, placed and optimised before anything is
computed; one that is there is only run. (The example as printed loses its graph: `build_graph` makes it in a
graph of its own, and the session is then opened on another, empty one.) In TensorFlow 2 the same is said of
making a `tf.function` in a loop.

## What headstart does
HS501 finds a TensorFlow 1 graph that is built in the loop, HS305 a `tf.function` that is made anew.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import middle, phases

ONCE = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, laps, note

tf.compat.v1.disable_eager_execution()
batch = numpy.ones((8, 784), "float32")


def build_graph():
    x = tf.compat.v1.placeholder(tf.float32, [None, 784])
    W = tf.compat.v1.Variable(tf.zeros([784, 10]))
    b = tf.compat.v1.Variable(tf.zeros([10]))
    y = tf.matmul(x, W) + b
    return x, y


def build_and_run():
    with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as sess:
        x, y = build_graph()
        sess.run(tf.compat.v1.global_variables_initializer())
        sess.run(y, {x: batch})


with clock("loop"):
    if $once:
        with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as sess:
            x, y = build_graph()
            sess.run(tf.compat.v1.global_variables_initializer())
            runs = laps(lambda: sess.run(y, {x: batch}), 20)
    else:
        runs = laps(build_and_run, 20)
note(runs=runs)
"""

_EACH = middle("each time", "runs", "a run with its graph built anew", skip=2)
_ONCE = middle("once", "runs", "with a graph that was built once", skip=2)

CLAIM = Claim(
    id="C32",
    slug="build-once",
    doc=__doc__,
    documents=("004",),
    arms=(
        Arm(name="each time", program=program(ONCE, once=False)),
        Arm(name="once", program=program(ONCE, once=True)),
    ),
    contrasts=(Contrast(slow=_EACH, fast=_ONCE, holds_from=4, fails_below=2),),
    twin=Twin(
        "each time",
        "20 runs with their graphs",
        "loop",
        phases(
            "model-build",
            "variable-init",
            "graph-optimization",
            "steady-steps",
            "first-step",
            "evaluation",
            "eager-ops",
            "device-init",
        ),
    ),
    remedy=Contrast(slow=_EACH, fast=_ONCE._replace(label="built once"), holds_from=4, fails_below=2),
    examples=Examples(
        holds={"each time": {"runs": [0.03] * 20}, "once": {"runs": [0.0003] * 20}},
        fails={"each time": {"runs": [0.0003] * 20}, "once": {"runs": [0.0003] * 20}},
    ),
)
