"""Moving the data to the device is part of initialising a model.

## What is measured
On a machine with a GPU: building 100 million weights (400 MB) on the GPU, and copying as many bytes from the
host to it. It would be part of it if copying were at least a tenth of building and copying together.

## What happens
On a CPU there is nothing to move: a variable is where its numbers were drawn. On a GPU, Keras draws initial
values on the device itself; what is copied are weights that were loaded from a file.

## What headstart does
On a GPU, time in copies before the first step is in `weight-loading` or `data-warmup`.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import computed, noted, phases

COPY = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import clock

host = [numpy.ones((1000, 1000), "float32") for _ in range(100)]
with tf.device("/GPU:0"):
    (tf.ones((1000, 1000)) + 1.0).numpy()
    with clock("building"):
        dense = [tf.keras.layers.Dense(1000) for _ in range(100)]
        model = tf.keras.Sequential([tf.keras.Input((1000,)), *dense])
        model.variables[-1].numpy()
    with clock("copying"):
        for variable, value in zip([v for v in model.variables if len(v.shape) == 2], host):
            variable.assign(value)
        variable.numpy()
"""

CLAIM = Claim(
    id="C19",
    slug="moving-data-to-the-device",
    doc=__doc__,
    documents=("002",),
    arms=(Arm(name="copy", program=COPY, fresh=True, needs="gpu"),),
    contrasts=(
        Contrast(
            slow=computed("copy", "building and copying", lambda n: n["building"] + n["copying"]),
            fast=noted("copy", "building", "building alone"),
            holds_from=1.1,
            fails_below=1.05,
            share=True,
            needs="gpu",
        ),
    ),
    twin=Twin(
        "copy", "building on the GPU", "building", phases("model-build", "variable-init", "device-init")
    ),
    examples=Examples(
        holds={"copy": {"building": 0.5, "copying": 0.2}},
        fails={"copy": {"building": 0.5, "copying": 0.01}},
    ),
)
