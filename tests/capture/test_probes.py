"""What the probes see of one real program, by counting: nothing here depends on how fast the machine is."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from headstart.analyse.build import analyse
from headstart.analyse.model import Analysis
from headstart.record import signals as s
from headstart.record.reader import read_run

pytestmark = pytest.mark.tensorflow

PROGRAM = """\
import collections
import os
import socket
import subprocess
import sys

import numpy as np
import tensorflow as tf
import helper

model = tf.keras.Sequential([
    tf.keras.Input((4,)),
    tf.keras.layers.Dense(8, kernel_initializer="he_normal"),
    tf.keras.layers.Dense(1),
])
model.compile(optimizer="adam", loss="mse")
x, y = np.zeros((40, 4), "float32"), np.zeros((40, 1), "float32")
model.fit(x, y, batch_size=10, epochs=2, verbose=0, validation_data=(x, y))
model.save(sys.argv[1])
again = tf.keras.models.load_model(sys.argv[1])
again.predict(x, batch_size=20, verbose=0)


@tf.function
def double(v, n):
    return v * 2 * n


for n in (1, 1, 2):
    double(tf.constant(1.0), n)

@tf.function
def nested(parts, pair, others):
    return parts[0] + pair.first


Pair = collections.namedtuple("Pair", ("first", "second"))
one = tf.constant(1.0)
for parts in ([one], [one, one]):
    nested(parts, Pair(one, 4), {"k": (one, 0.5)})

for value in tf.data.Dataset.range(3):
    pass

slow = tf.data.Dataset.range(50).map(lambda i: tf.linalg.inv(tf.eye(1200)), num_parallel_calls=4)
for value in slow:
    break

strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
for part in strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)):
    pass

w = tf.Variable(tf.zeros((2, 2)))
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    grad = tape.gradient(loss, w)

def make(v, own):
    @tf.function
    def over_one(x):
        own.assign_add(x)
        return v * x
    return over_one

v1, v2 = tf.Variable(1.0), tf.Variable(2.0)
for v in (v1, v1, v1, v2):
    make(v, tf.Variable(0.0, trainable=False))(one)

class WithoutBuild(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = tf.keras.layers.Dense(3, kernel_initializer="lecun_normal", use_bias=False)

    def call(self, x):
        return self.inner(x)


WithoutBuild()(x)

ready = tf.keras.applications.MobileNetV2(weights=None, input_shape=(32, 32, 3), alpha=0.35, classes=2)
ready.run_eagerly = False
ready.run_eagerly = True
tf.data.experimental.enable_debug_mode()
subprocess.run([sys.executable, "-c", "pass"], check=True)
socket.getaddrinfo("localhost", 80)
"""


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("probes")
    program, record = folder / "program.py", folder / "run.hsrun"
    program.write_text(PROGRAM)
    (folder / "helper.py").write_text("# One that nothing else imports.\nimport this\n")
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--record", str(record), str(program)]
    done = subprocess.run([*command, str(folder / "m.keras")], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return analyse(read_run(record))


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


def test_every_probe_fits_this_version(analysis: Analysis) -> None:
    assert [(mark.name, mark.attrs) for mark in analysis.marks(s.PROBE_OFF)] == []


def test_imports_and_libraries(analysis: Analysis) -> None:
    modules = {row.module: row for row in analysis.report.imports}
    assert modules["tensorflow"].line == line_of("import tensorflow as tf")
    assert modules["tensorflow"].seconds >= modules["tensorflow"].self_seconds
    (inside,) = [span for span in analysis.spans(s.IMPORT) if span.name == "this"]
    assert inside.site is not None
    assert (Path(inside.site[0]).name, inside.site[1]) == ("helper.py", 2)
    assert analysis.report.counts["modules"] > 1000
    assert analysis.report.counts["registered_ops"] > 1000
    assert analysis.report.counts["registered_kernels"] > analysis.report.counts["registered_ops"]
    assert any("tensorflow" in row.path for row in analysis.report.libraries)


def test_batches_epochs_and_loops(analysis: Analysis) -> None:
    batches = Counter(span.name for span in analysis.spans(s.BATCH))
    assert batches == {"train": 8, "test": 8, "predict": 2}
    assert len(analysis.report.epochs) == 2
    loops = [(span.name, span.attrs["nested"]) for span in analysis.spans(s.FIT)]
    assert loops == [("fit", False), ("evaluate", True), ("evaluate", True), ("predict", False)]


def test_a_model_that_is_switched_to_eager(analysis: Analysis) -> None:
    (mark,) = analysis.marks(s.EAGER_MODEL)
    assert (mark.name, mark.attrs["site"][1]) == ("Functional", line_of("ready.run_eagerly = True"))


def test_data_sets_in_debug_mode(analysis: Analysis) -> None:
    (mark,) = analysis.marks(s.DATA_DEBUG)
    assert (mark.attrs["on"], mark.attrs["site"][1]) == (True, line_of("enable_debug_mode()"))


def test_the_steps_are_fits_batches(analysis: Analysis) -> None:
    assert (analysis.steps.kind, analysis.steps.total) == ("fit", 8)
    assert analysis.steps.site is not None
    assert analysis.steps.site[1] == line_of("model.fit(")


def test_traces_with_their_lines_and_arguments(analysis: Analysis) -> None:
    traces = [span for span in analysis.spans(s.TRACE) if span.name == "double"]
    assert [span.attrs["args"][1] for span in traces] == [["n", "Python int 1"], ["n", "Python int 2"]]
    assert all(span.attrs["line"] == line_of("def double") - 1 for span in traces)
    assert all(span.attrs["site"][1] == line_of("double(tf.constant") for span in traces)
    assert all(span.attrs["nodes"] >= 3 for span in traces)
    row = next(row for row in analysis.report.functions if row.name == "double")
    assert (row.traces, row.calls, len(row.retraces)) == (2, 3, 1)
    assert (row.retraces[0].argument, row.retraces[0].reason) == ("n", "scalar")


def test_traces_over_the_same_variables(analysis: Analysis) -> None:
    over = [span.attrs["over"] for span in analysis.spans(s.TRACE) if span.name == "over_one"]
    assert len(over) == 4
    assert over[0] == over[1] == over[2] != over[3]
    assert {span.attrs["weights"] for span in analysis.spans(s.TRACE) if span.name == "over_one"} == {1}


def test_arguments_inside_of_others_are_told_one_by_one(analysis: Analysis) -> None:
    first, second = (span.attrs["args"] for span in analysis.spans(s.TRACE) if span.name == "nested")
    assert first == [
        ["parts", "list of 1"],
        ["parts[0]", "tensor float32[]"],
        ["pair.first", "tensor float32[]"],
        ["pair.second", "Python int 4"],
        ["others['k']", "tuple of 2"],
        ["others['k'][0]", "tensor float32[]"],
        ["others['k'][1]", "Python float 0.5"],
    ]
    assert [leaf for leaf in second if leaf not in first] == [
        ["parts", "list of 2"],
        ["parts[1]", "tensor float32[]"],
    ]
    row = next(row for row in analysis.report.functions if row.name == "nested")
    assert [(r.argument, r.before, r.after, r.reason) for r in row.retraces] == [
        ("parts", "list of 1", "list of 2", "structure")
    ]


def test_first_runs_are_marked_once_per_graph(analysis: Analysis) -> None:
    runs = [span for span in analysis.spans(s.EXECUTE) if "double" in span.name]
    assert [bool(span.attrs.get("first")) for span in runs] == [True, False, True]


def test_an_iterator_that_is_let_go_in_the_middle_of_its_work(analysis: Analysis) -> None:
    last = next(
        x for x in analysis.spans(s.ITERATOR) if x.site and x.site[1] == line_of("for value in slow:")
    )
    assert any(x.start_ns > last.end_ns for x in analysis.spans(s.ITERATOR_END))


def test_weights_of_a_model_without_build_are_told_once_with_their_layer(analysis: Analysis) -> None:
    (span,) = [x for x in analysis.spans(s.VARIABLE_INIT) if x.attrs.get("shape") == [4, 3]]
    assert (span.name, span.attrs["bytes"]) == ("LecunNormal", 48)
    assert span.attrs["made"][1] == line_of('"lecun_normal"')
    assert span.site is not None
    assert span.site[1] == line_of("WithoutBuild()(x)")


def test_models_variables_and_weights(analysis: Analysis) -> None:
    created = Counter(span.name for span in analysis.spans(s.VARIABLE_INIT) if not span.attrs.get("traced"))
    assert created["HeNormal"] == 2  # in the program, and again by load_model
    assert [span.name for span in analysis.spans(s.LOAD)] == ["load_model"]
    (load,) = analysis.spans(s.LOAD)
    assert load.attrs["bytes"] > 1000
    assert load.attrs["site"][1] == line_of("load_model(")
    assert [span.name for span in analysis.spans(s.SAVE)] == ["save_model"]
    assert len(analysis.spans(s.COMPILE)) >= 1


def test_what_a_library_builds_is_told_from_what_a_line_builds(analysis: Analysis) -> None:
    built = analysis.spans(s.MODEL_BUILD)
    by_library = {span.site[1] for span in built if span.site and span.attrs.get("library")}
    by_line = {span.site[1] for span in built if span.site and not span.attrs.get("library")}
    assert by_library == {line_of("MobileNetV2(")}
    assert line_of("Dense(8") in by_line


def test_elements_that_a_strategy_distributes(analysis: Analysis) -> None:
    here = line_of("for part in")
    waits = [span for span in analysis.spans(s.NEXT) if (span.site or ("", 0))[1] == here]
    assert [bool(span.attrs.get("end")) for span in waits] == [False, False, True]
    (made,) = [
        span for span in analysis.spans(s.ITERATOR) if span.attrs["iterator"] == waits[0].attrs["iterator"]
    ]
    assert made.site is not None
    assert made.site[1] == here
    assert made.attrs["dataset"]


def test_eager_gradients_data_and_devices(analysis: Analysis) -> None:
    assert len(analysis.spans(s.TAPE_GRADIENT)) == 3
    elements = [
        span for span in analysis.spans(s.NEXT) if (span.site or ("", 0))[1] == line_of("for value in")
    ]
    assert elements
    assert elements[0].attrs["first"]
    assert len([span for span in analysis.spans(s.DEVICE_INIT) if span.name == "context"]) == 1


def test_waits_for_the_outside(analysis: Analysis) -> None:
    waits = {(span.attrs["what"], (span.site or ("", 0))[1]) for span in analysis.spans(s.EXTERNAL)}
    assert ("process", line_of("subprocess.run(")) in waits
    assert ("dns", line_of("socket.getaddrinfo")) in waits


def test_the_child_python_has_a_record_of_its_own(analysis: Analysis) -> None:
    record = Path(analysis.run.path)
    children = [read_run(path) for path in record.parent.glob(record.name + ".*")]
    assert [child.header.origin for child in children] == ["spawn"]
    assert children[0].header.ppid == analysis.run.header.pid


def test_the_ledger_adds_up_and_names_everything(analysis: Analysis) -> None:
    report = analysis.report
    assert sum(row.seconds for row in report.phases) == pytest.approx(report.wall_seconds)
    assert analysis.phase_seconds("unattributed") <= 0.05 * report.wall_seconds
    assert report.overhead.seconds > 0
