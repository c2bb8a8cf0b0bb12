"""Creating placeholders adds to the first step (TensorFlow 1).

## What is measured
A TensorFlow 1 graph of an 8-layer network and its training operation (Adam), from an empty graph to the end of
the first `Session.run`, with 1, 100 and 1000 placeholders in it; the best of three in mixed order.

## What happens
A placeholder is a node like any other, made in some tens of microseconds; a graph has a handful of them. Only a
thousand of them are felt. TensorFlow 2 has none: inputs are arguments of a `tf.function`.

## What headstart does
`headstart profile` shows building TensorFlow 1 graphs under `model-build`, with the number of nodes.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import noted, phases

PLACEHOLDERS = """\
import random
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, note

v1 = tf.compat.v1
v1.disable_eager_execution()


def first_run(placeholders):
    with tf.Graph().as_default(), v1.Session() as session:
        inputs = [v1.placeholder(tf.float32, [None, 784]) for _ in range(placeholders)]
        y = inputs[0]
        for layer in range(8):
            w = v1.get_variable(f"w{layer}", [784 if layer == 0 else 32, 32])
            y = tf.nn.relu(tf.matmul(y, w))
        train = v1.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(y)))
        session.run(v1.global_variables_initializer())
        session.run(train, {inputs[0]: numpy.ones((8, 784), "float32")})


first_run(1)  # what only the first graph of a process pays
seconds = {1: [], 100: [], 1000: []}
for count in random.sample([1, 100, 1000] * 3, 9):
    with clock(f"last_with_{count}") as each:
        first_run(count)
    seconds[count].append(each.seconds)
note(**{f"with_{count}": min(each) for count, each in seconds.items()})
"""

_ONE = noted("graph", "with_1", "building and running with 1 placeholder")

CLAIM = Claim(
    id="C04",
    slug="placeholders",
    doc=__doc__,
    documents=("000",),
    rule="when",
    arms=(Arm(name="graph", program=PLACEHOLDERS),),
    contrasts=(
        Contrast(
            slow=noted("graph", "with_1000", "with 1000"),
            fast=_ONE,
            holds_from=1.5,
            fails_below=1.3,
            when="a graph has a thousand of them",
        ),
        Contrast(
            slow=noted("graph", "with_100", "with 100"),
            fast=_ONE,
            holds_from=1.5,
            fails_below=1.3,
            when="it has a hundred",
        ),
    ),
    twin=Twin(
        "graph",
        "building and running the graph with 1000 placeholders",
        "last_with_1000",
        phases(
            "model-build",
            "graph-optimization",
            "variable-init",
            "steady-steps",
            "first-step",
            "evaluation",
            "eager-ops",
        ),
    ),
    examples=Examples(
        holds={"graph": {"with_1": 0.05, "with_100": 0.12, "with_1000": 0.5}},
        fails={"graph": {"with_1": 0.05, "with_100": 0.05, "with_1000": 0.06}},
        partly={"graph": {"with_1": 0.05, "with_100": 0.06, "with_1000": 0.2}},
    ),
)
