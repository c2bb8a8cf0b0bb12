"""The program starts all of TensorFlow to run a model a few times.

## What it does
Finds programs that load a trained model, run it a few times and end, and spent nearly all of their time
starting.

## Why it costs
Importing TensorFlow, rebuilding the model and tracing it takes seconds; running it takes milliseconds. The
LiteRT interpreter (`ai-edge-litert`, formerly TensorFlow Lite) needs none of it: it maps the model's file
and runs, 0.1 s after the process started.

## Use instead
Convert once, `tf.lite.TFLiteConverter.from_keras_model(model).convert()`, and run the file with
`ai_edge_litert.interpreter.Interpreter`; or start with `headstart run`, which keeps the start.

## Fix safety
No automatic fix: not every operation has a LiteRT form, and results can differ in the last digits.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


BAD = """\
import os
import tempfile

import keras
import numpy as np

path = os.path.join(tempfile.mkdtemp(), "model.keras")
keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)]).save(path)
model = keras.models.load_model(path)
print(model(np.ones((1, 8), "float32")))
"""

GOOD = """\
import os

import numpy as np

path = os.environ.get("MODEL", "model.tflite")
if os.path.exists(path):
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(path)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.ones((1, 8), "float32"))
    interpreter.invoke()
    print(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))
"""

RULE = Rule(
    code="HS601",
    slug="lite-starts-faster",
    doc=__doc__,
    symptoms=(
        "inference script takes seconds to start",
        "serverless cold start with tensorflow",
        "tflite start-up",
    ),
    threshold=(
        "A model from a file, no training, at most 100 inferences, and 80 % of at least 2 s spent before "
        "the first result. Always of low confidence: whether the model converts is not known."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
