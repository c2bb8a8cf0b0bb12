"""What is seen of a program that runs a converted model with TensorFlow's own interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from headstart.advise.findings import find
from headstart.analyse.build import analyse
from headstart.record import signals as s
from headstart.record.reader import read_run

pytestmark = pytest.mark.tensorflow

CONVERT = """\
import sys

import tensorflow as tf


class Halve(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec((1, 4), tf.float32, name="x")])
    def serve(self, x):
        return {"y": x / 2}


module = Halve()
tf.saved_model.save(module, sys.argv[1], signatures={"serve": module.serve})
converted = tf.lite.TFLiteConverter.from_saved_model(sys.argv[1]).convert()
with open(sys.argv[2], "wb") as handle:
    handle.write(converted)
"""

INVOKE = """\
import sys

import numpy as np
import tensorflow as tf

interpreter = tf.lite.Interpreter(sys.argv[1])
interpreter.allocate_tensors()
x = interpreter.get_input_details()[0]["index"]
y = interpreter.get_output_details()[0]["index"]
for n in range(7):
    interpreter.set_tensor(x, np.full((1, 4), n, "float32"))
    interpreter.invoke()
    print(interpreter.get_tensor(y)[0, 0])
"""

SIGNATURE = """\
import sys

import numpy as np
import tensorflow as tf

interpreter = tf.lite.Interpreter(sys.argv[1])
interpreter.allocate_tensors()
runner = interpreter.get_signature_runner("serve")
for n in range(7):
    values = np.full((1, 4), n, "float32")
    # by name
    answer = runner(x=values)
    print(answer["y"][0, 0])
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("converted")
    program = folder / "convert.py"
    program.write_text(CONVERT)
    command = [sys.executable, program, folder / "saved", folder / "model.tflite"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder / "model.tflite"


@pytest.mark.parametrize("text", [INVOKE, SIGNATURE], ids=["invoke", "signature"])
def test_runs_of_an_interpreter_are_steps(text: str, model: Path, tmp_path: Path) -> None:
    program, record = tmp_path / "serve.py", tmp_path / "run.hsrec"
    program.write_text(text)
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--record", record, program, model]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == [str(n / 2) for n in range(7)]

    found = analyse(read_run(record))
    assert (found.steps.kind, found.steps.total) == ("lite", 7)
    assert found.steps.site is not None
    assert found.steps.site[:2] == (str(program), 12)
    assert [span.name for span in found.spans(s.LITE_SETUP)] == ["load", "allocate_tensors"]
    seconds = {row.id: row.seconds for row in found.report.phases}
    assert min(seconds[name] for name in ("weight-loading", "model-build", "first-step", "steady-steps")) > 0
    assert [finding.rule for finding in find(found, strict=True)] == [], "TensorFlow is what runs the model"
