"""After a replay everything else works as after a trace: gradients, introspection, errors, saving."""

from __future__ import annotations

from pathlib import Path

import pytest

from .harness import Runner, placed, run_fresh, same


@pytest.mark.tensorflow
def test_a_replayed_function_is_a_function(runner: Runner, tmp_path: Path) -> None:
    script = placed("afterwards", tmp_path)
    plain = runner.run(script)
    assert plain.code == 0, plain.stderr[-3000:]
    for number in range(2):
        ran = runner.run(script, cache=tmp_path / "cache")
        same(plain, ran)
        assert ran.count("failed") == 0, ran.reasons("failed")
        replayed = {event["function"] for event in ran.events if event["what"] == "replayed"}
        if number:
            assert {"forward", "checked", "custom"} <= replayed


FAILS = """
import tensorflow as tf

@tf.function
def step(v):
    {before}
    return tf.linalg.inv(v)

def main():
    for matrix in (tf.ones((2, 2)) + tf.eye(2), {argument}):
        print(step(matrix).numpy().tolist())

main()
"""
#: Errors while tracing and while running: what the program shows must not tell that we are there.
ERRORS = {
    "while tracing": ("assert v.shape[0] == 2, 'wrong'", "tf.ones((3, 3))"),
    "while running": ("pass", "tf.zeros((2, 2))"),
    "wrong shape": ("pass", "tf.zeros((2, 3))"),
}


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    "name",
    [name if name == "while running" else pytest.param(name, marks=pytest.mark.soak) for name in ERRORS],
)
def test_tracebacks_are_the_programs_own(tmp_path: Path, name: str) -> None:
    import re

    before, argument = ERRORS[name]
    script = tmp_path / "main.py"
    script.write_text(FAILS.format(before=before, argument=argument))

    def shown(text: str) -> str:
        text = re.sub(r"(_hs[0-9a-f]{16})?_\d+\b", "_N", text)
        text = re.sub(r"__autograph_generated_file\w+", "GENERATED", text)
        return re.sub(r"0x[0-9a-f]+|^\d{4}-\d\d-\d\d \S+|\d{10}\.\d+ +\d+", "_", text, flags=re.M)

    plain = run_fresh(script)
    for _ in range(2):
        ran = run_fresh(script, cache=tmp_path / "cache")
        same(plain, ran)
        assert shown(ran.stderr) == shown(plain.stderr)
    assert ran.count("replayed") == 1


METHODS = """
import tensorflow as tf

class Scaler(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[2.0, 0.0], [0.0, 0.5]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def infer(self, v):
        return tf.nn.relu(tf.matmul(v, self.w)) + 1.0

    @tf.function
    def inverse(self, v):
        return tf.matmul(tf.linalg.inv(v), self.w)

scaler = Scaler()
print(scaler.infer(tf.ones((3, 2))).numpy().tolist(), scaler.inverse(tf.eye(2)).numpy().tolist())
print([op.type for op in scaler.infer.get_concrete_function().graph.get_operations()])
try:
    scaler.inverse(tf.zeros((2, 2)))
except tf.errors.InvalidArgumentError as problem:
    print("return tf.matmul(tf.linalg.inv(v), self.w)" in str(problem) or "main.py" in str(problem))
"""


@pytest.mark.tensorflow
def test_asking_more_of_a_replayed_method_traces_it(runner: Runner, tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text(METHODS)
    plain = runner.run(script)
    assert plain.code == 0, plain.stderr[-3000:]
    for _ in range(2):
        ran = runner.run(script, cache=tmp_path / "cache")
        same(plain, ran)
    assert ran.count("replayed") == 2
