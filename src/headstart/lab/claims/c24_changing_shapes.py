"""Changing tensor shapes cause repeated work.

## What is measured
Sixty calls of a `tf.function` of ten layers: with one shape, with sixty different batch sizes, and with sixty
sizes under a signature that leaves the batch size open. The seconds of all calls, and how often the function
was traced.

## What happens
Without a signature a trace is made for the exact shapes of the arguments, so every new shape is traced and
optimised anew. (Keras' own `fit` gives its functions more general shapes after the second trace.) With the
batch size left open there is one trace. It is not memory that is allocated again, as the document has it: it is
the graph.

## What headstart does
HS302 names the argument, its shapes before and after, and the line; `headstart lint` finds some cases in
source.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import noted, traces_of

SHAPES = """\
import tensorflow as tf
from headstart.lab.arm import clock, note

w = tf.random.normal((32, 32))
traces = 0


def ten_layers(x):
    global traces
    traces += 1
    for _ in range(10):
        x = tf.nn.relu(tf.matmul(x, w))
    return tf.reduce_sum(x)


signature = [tf.TensorSpec((None, 32), tf.float32)] if $open else None
score = tf.function(ten_layers, input_signature=signature)
batches = [tf.ones((8 + i if $varying else 8, 32)) for i in range(60)]
with clock("calls"):
    for batch in batches:
        score(batch)
note(traces=traces)
"""

CLAIM = Claim(
    id="C24",
    slug="changing-shapes",
    doc=__doc__,
    documents=("003",),
    arms=(
        Arm(name="one shape", program=program(SHAPES, varying=False, open=False)),
        Arm(name="many shapes", program=program(SHAPES, varying=True, open=False)),
        Arm(name="open shape", program=program(SHAPES, varying=True, open=True)),
    ),
    contrasts=(
        Contrast(
            slow=noted("many shapes", "calls", "60 calls with 60 shapes"),
            fast=noted("one shape", "calls", "with one shape"),
            holds_from=4,
            fails_below=2,
        ),
    ),
    twin=Twin("many shapes", "traces of the function", "traces", traces_of("ten_layers")),
    remedy=Contrast(
        slow=noted("many shapes", "calls", "60 calls with 60 shapes as found"),
        fast=noted("open shape", "calls", "with the batch size left open, as HS302 advises"),
        holds_from=4,
        fails_below=2,
    ),
    examples=Examples(
        holds={"many shapes": {"calls": 2.0, "traces": 60}, "one shape": {"calls": 0.1, "traces": 1}},
        fails={"many shapes": {"calls": 0.1, "traces": 1}, "one shape": {"calls": 0.1, "traces": 1}},
    ),
)
