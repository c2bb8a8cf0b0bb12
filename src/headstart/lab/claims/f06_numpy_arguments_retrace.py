"""NumPy arguments make a `tf.function` retrace.

## What is measured
A `tf.function` called with 30 different NumPy arrays, with 30 NumPy numbers, and with 30 Python floats: how
often it was traced.

## What happens
A NumPy array or number becomes a tensor, and a tensor's value has no part in whether to trace: one trace. A
Python number is taken as a part of the program, so each new value is a new trace. The two are easily confused,
since `float(array[0])` looks harmless.

## What headstart does
HS301 names the argument whose Python value caused the traces, and HS303 the object.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import noted, traces_of

ARGUMENTS = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import note

w = tf.random.normal((8, 8))
traces = every = 0


def scaled(x):
    global traces
    traces += 1
    return tf.reduce_sum(w * tf.cast(x, tf.float32))


for name, make in (
    ("arrays", lambda i: numpy.full((8,), i, "float32")),
    ("numbers", lambda i: numpy.float32(i)),
    ("floats", lambda i: float(i)),
    ("tensors", lambda i: tf.constant(float(i))),
):
    traces, function = 0, tf.function(scaled)
    for i in range(30):
        function(make(i))
    note(**{name: traces})
    every += traces
note(all_traces=every)
"""


def _contrast(name: str, label: str) -> Contrast:
    return Contrast(
        slow=noted("arguments", name, f"traces for 30 {label}", ""),
        fast=noted("arguments", "tensors", "for 30 tensors", ""),
        holds_from=10,
        fails_below=5,
        when=f"arguments are {label}",
    )


CLAIM = Claim(
    id="F06",
    slug="numpy-arguments-retrace",
    doc=__doc__,
    documents=(),
    rule="when",
    arms=(Arm(name="arguments", program=ARGUMENTS),),
    contrasts=(_contrast("arrays", "NumPy arrays"), _contrast("numbers", "NumPy numbers")),
    twin=Twin("arguments", "traces of the function", "all_traces", traces_of("scaled")),
    fewest=2,
    examples=Examples(
        holds={"arguments": {"arrays": 30, "numbers": 30, "floats": 30, "tensors": 1}},
        fails={"arguments": {"arrays": 1, "numbers": 1, "floats": 30, "tensors": 1}},
        partly={"arguments": {"arrays": 1, "numbers": 30, "floats": 30, "tensors": 1}},
    ),
)
