"""A TensorFlow Lite model starts drastically faster.

## What is measured
A small network, from process start to its first inference, in fresh processes: as a SavedModel in TensorFlow,
as a `.tflite` model in `tf.lite.Interpreter`, and as the same file in LiteRT's own package. Drastically is a
third.

## What happens
What takes the time is `import tensorflow`, not the model. The interpreter inside TensorFlow comes after that
import, so it saves little; LiteRT's package is a few megabytes, imports in a moment, and needs no TensorFlow at
all.

## What headstart does
HS601 finds programs that only run inference and could start that way, with what it would save.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import noted, wall

SETUP = """\
import tensorflow as tf

dense = [tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(10)]
model = tf.keras.Sequential([tf.keras.Input((64,)), *dense])
model.export("saved", verbose=False)
with open("model.tflite", "wb") as file:
    file.write(tf.lite.TFLiteConverter.from_saved_model("saved").convert())
"""

TENSORFLOW = """\
import numpy
import tensorflow as tf
from headstart.lab.arm import note, process_age

model = tf.saved_model.load("saved")
result = model.serve(tf.constant(numpy.ones((1, 64), "float32"))).numpy()
note(started=process_age())
"""

INTERPRETER = """\
import numpy
from headstart.lab.arm import note, process_age
$import_

interpreter = Interpreter("model.tflite")
interpreter.allocate_tensors()
interpreter.set_tensor(interpreter.get_input_details()[0]["index"], numpy.ones((1, 64), "float32"))
interpreter.invoke()
result = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
note(started=process_age())
"""
INSIDE = INTERPRETER.replace("$import_", "import tensorflow as tf\n\nInterpreter = tf.lite.Interpreter")
ALONE = INTERPRETER.replace("$import_", "from ai_edge_litert.interpreter import Interpreter")

_TENSORFLOW = noted("tensorflow", "started", "from process start to the first inference in TensorFlow")

CLAIM = Claim(
    id="C33",
    slug="lite-starts-faster",
    doc=__doc__,
    documents=("004",),
    rule="when",
    arms=(
        Arm(name="tensorflow", program=TENSORFLOW, setup=SETUP, fresh=True),
        Arm(name="tf.lite", program=INSIDE, setup=SETUP, fresh=True),
        Arm(name="litert", program=ALONE, setup=SETUP, fresh=True, needs="litert"),
    ),
    contrasts=(
        Contrast(
            slow=_TENSORFLOW,
            fast=noted("litert", "started", "in LiteRT's own package"),
            holds_from=3.0,
            fails_below=2.0,
            when="LiteRT's own package runs it",
            needs="litert",
            decisive=True,
        ),
        Contrast(
            slow=_TENSORFLOW,
            fast=noted("tf.lite", "started", "in `tf.lite.Interpreter`"),
            holds_from=3.0,
            fails_below=2.0,
            when="`tf.lite.Interpreter` runs it",
        ),
    ),
    twin=Twin("tensorflow", "the whole program", "process_seconds", wall),
    remedy=Contrast(
        slow=_TENSORFLOW,
        fast=noted("litert", "started", "converted to LiteRT, as HS601 advises"),
        holds_from=3.0,
        fails_below=2.0,
    ),
    fewest=2,
    examples=Examples(
        holds={"tensorflow": {"started": 3.0}, "tf.lite": {"started": 0.5}, "litert": {"started": 0.3}},
        fails={"tensorflow": {"started": 3.0}, "tf.lite": {"started": 2.6}, "litert": {"started": 2.6}},
        partly={"tensorflow": {"started": 3.0}, "tf.lite": {"started": 2.6}, "litert": {"started": 0.3}},
    ),
)
