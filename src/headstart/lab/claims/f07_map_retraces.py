"""`Dataset.map` retraces for each image shape.

## What is measured
A pipeline over 30 images of one shape and over 30 images of 30 shapes: how often the function given to `map`
was traced. It would hold if there were at least ten times as many traces.

## What happens
The function is traced once, when `map` is called, for the shapes that the dataset declares; images of any size
come with open axes. What costs is making a new dataset for each image, or for each epoch: that traces each
time.

## What headstart does
HS506 and HS305 find pipelines that are made anew.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import noted, phases

IMAGES = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, note

traces = 0


def preprocess(image):
    global traces
    traces += 1
    return tf.image.resize(tf.cast(image, tf.float32) / 255.0, (32, 32))


def images():
    for i in range(30):
        yield numpy.ones((40 + i if $varying else 40, 48, 3), "uint8")


with clock("pass"):
    data = tf.data.Dataset.from_generator(images, output_signature=tf.TensorSpec((None, None, 3), tf.uint8))
    for image in data.map(preprocess):
        pass
note(traces=traces)
"""

CLAIM = Claim(
    id="F07",
    slug="map-retraces",
    doc=__doc__,
    documents=(),
    arms=(
        Arm(name="one shape", program=program(IMAGES, varying=False)),
        Arm(name="30 shapes", program=program(IMAGES, varying=True)),
    ),
    contrasts=(
        Contrast(
            slow=noted("30 shapes", "traces", "traces over 30 shapes", ""),
            fast=noted("one shape", "traces", "over one shape", ""),
            holds_from=10,
            fails_below=5,
        ),
    ),
    twin=Twin(
        "30 shapes",
        "making and reading the pipeline",
        "pass",
        phases(
            "data-warmup",
            "data-wait",
            "tracing",
            "graph-optimization",
            "eager-ops",
            "first-step",
            "imports",
            "model-build",
            "device-init",
        ),
    ),
    fewest=2,
    examples=Examples(
        holds={"30 shapes": {"traces": 30}, "one shape": {"traces": 1}},
        fails={"30 shapes": {"traces": 1}, "one shape": {"traces": 1}},
    ),
)
