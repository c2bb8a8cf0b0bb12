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
from ...record import signals as s
from ..draft import Draft
from ..evidence.words import secs
from ..rule import Rule

_INFERENCES = 100
_WALL_SECONDS = 2.0
_SHARE = 0.7
_LITE_SECONDS = 0.3
"""From process start to the first result with the LiteRT interpreter, a small model."""


def detect(run: Analysis) -> Iterable[Draft]:
    loads = [
        x
        for x in run.spans(s.LOAD)
        if x.site and x.name in ("load_model", "saved_model.load", "load_weights")
    ]
    trained = run.spans(s.GRADIENT, s.TAPE_GRADIENT, s.APPLY_GRADIENTS, s.OPTIMIZER_BUILD)
    fits = [x for x in run.spans(s.FIT) if x.name not in ("predict", "predict_on_batch")]
    if not loads or trained or fits or run.first_step_end_ns is None:
        return
    steps = sum(run.steps.per_interval)
    start = run.seconds_since_start(run.first_step_end_ns)
    # What takes TensorFlow apart at the end is no work of the program's, and would go as well.
    worked = run.seconds_since_start(min((x.start_ns for x in run.spans(s.SHUTDOWN)), default=run.run.end_ns))
    if steps > _INFERENCES or run.wall_seconds < _WALL_SECONDS or start < _SHARE * worked:
        return
    site = loads[0].site
    assert site is not None
    yield Draft(
        title=f"{secs(start)} of {secs(run.wall_seconds)} had passed when the "
        + (f"first of {steps} inferences was done" if steps > 1 else "only inference was done"),
        file=site[0],
        line=site[1],
        seconds=max(0.0, start - _LITE_SECONDS),
        confidence="low",
        advice="Convert it once (tf.lite.TFLiteConverter) and run it with ai_edge_litert; or start with "
        "`headstart run`.",
        details={"start_seconds": round(start, 3), "inferences": steps},
    )


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
        "A model from a file, no training, at most 100 inferences, at least 2 s in all, and 70 % of the "
        "time until the program's work was done spent before the first result. Always of low confidence: "
        "whether the model converts is not known."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    another_way=True,
)
