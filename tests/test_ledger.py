"""The ledger of whole programs: it adds up, names what it saw, and finds the steps. Counts only, no clocks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.adding_up import adds_up

pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def profiled(program: Path, folder: Path) -> dict[str, Any]:
    out = folder / "out.json"
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--json", str(out), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(out.read_text())
    return report


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_examples(program: Path, tmp_path: Path) -> None:
    report = profiled(program, tmp_path)
    adds_up(report)
    kinds = {"digits_fit": "fit", "digits_custom_loop": "function", "digits_tf1_session": "session"}
    if program.stem in kinds:
        assert report["steps"]["kind"] == kinds[program.stem]
        assert report["steps"]["file"] == str(program)
    assert report["steps"]["count"] >= 2


def test_a_program_without_tensorflow(tmp_path: Path) -> None:
    program = tmp_path / "plain.py"
    program.write_text("import json\nprint(sum(range(1000)))\n")
    report = profiled(program, tmp_path)
    adds_up(report)
    assert report["target"]["tensorflow"] is None
    assert report["time_to_first_step"] is None
    took_time = {row["id"] for row in report["phases"] if row["seconds"] > 0}
    assert took_time >= {"interpreter", "imports", "shutdown"}
    assert "tracing" not in took_time
    assert "unattributed" in {row["id"] for row in report["phases"]}, "named, also where it is nothing"


MONITORED = """\
import tempfile
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
weight = tf.get_variable("weight", [5, 1])
counter = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_sum(weight**2), global_step=counter)
# Not the graph: TensorFlow 2.20 cannot write it with the newest protobuf.
how = {"hooks": [tf.train.StopAtStepHook(12)], "save_checkpoint_steps": 5, "save_graph_def": False}
with tempfile.TemporaryDirectory() as folder:
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, **how) as session:
        while not session.should_stop():
            session.run(train)
"""


def test_the_steps_of_a_monitored_session_are_the_programs_own_runs(tmp_path: Path) -> None:
    program = tmp_path / "monitored.py"
    program.write_text(MONITORED)
    steps = profiled(program, tmp_path)["steps"]
    assert (steps["kind"], steps["count"], steps["line"]) == ("session", 12, 13)


UNEVEN = """\
import keras
import numpy as np

x = np.ones((88, 4), "float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse", steps_per_execution=4)
model.fit(x, x[:, :1], batch_size=8, epochs=2, verbose=0, validation_data=(x, x[:, :1]))
assert int(model.optimizer.iterations) == 22
"""


def test_an_execution_at_the_end_of_an_epoch_holds_the_steps_that_are_left(tmp_path: Path) -> None:
    program = tmp_path / "uneven.py"
    program.write_text(UNEVEN)
    steps = profiled(program, tmp_path)["steps"]
    assert (steps["kind"], steps["count"]) == ("fit", 22)
