"""`headstart.keras.StartupReport`: the arithmetic with a made-up clock, and a real fit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from headstart.keras import Startup, _Watch, describe


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def epoch(steps: list[float], validation: float = 0.0) -> _Watch:
    clock = Clock()
    watch = _Watch(clock, born=90.0)
    watch.fit_called()
    clock.now += 3.0
    for seconds in steps:
        watch.step_begins()
        clock.now += seconds
    if validation:
        watch.training_pauses()
        clock.now += validation
    watch.epoch_ends()
    return watch


def test_start_up_and_epoch_1_are_told_apart() -> None:
    found = epoch([8.5] + [0.5] * 9).found
    assert found == Startup(10.0, 3.0, 8.5, 0.5, 5.0, 10)
    assert found.startup == 21.0


def test_validation_is_not_the_last_step() -> None:
    found = epoch([8.5] + [0.5] * 9, validation=100.0).found
    assert found is not None
    assert found.epoch1 == 5.0


def test_a_single_step() -> None:
    found = epoch([8.5]).found
    assert found is not None
    assert (found.steady_step, found.epoch1, found.startup) == (None, 8.5, 21.5)
    assert "in the only step" in describe(found)


def test_an_epoch_without_steps_says_nothing() -> None:
    assert epoch([]).found is None


def test_only_the_first_epoch_counts() -> None:
    watch = epoch([1.0, 1.0])
    watch.step_begins()
    assert watch.epoch_ends() is None


def test_the_text() -> None:
    text = describe(Startup(10.0, 3.0, 8.5, 0.5, 5.0, 10))
    assert text == (
        "headstart: start-up 21.0 s (10.0 s before training, 3.00 s preparing, 8.00 s more in step 1 "
        "than in a steady one)\nheadstart: epoch 1 without it 5.00 s, 10 steps of 500 ms"
    )


def test_importing_it_imports_no_keras() -> None:
    code = "import headstart.keras, sys; print([m for m in sys.modules if 'keras' in m or 'tensorflow' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['headstart.keras']"


PROGRAM = """
import numpy as np
import {module} as keras
from headstart.keras import StartupReport
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
report = StartupReport()
assert isinstance(report, keras.callbacks.Callback)
x = np.ones((64, 4), "float32")
model.fit(x, x[:, :1], batch_size=8, epochs=2, verbose=0, validation_data=(x, x[:, :1]), callbacks=[report])
found = report.startup
assert found.steps == 8, found
assert found.first_step > found.steady_step > 0, found
assert found.until_fit > 0.5, found
"""


@pytest.mark.tensorflow
@pytest.mark.parametrize("module", ["keras", "tensorflow.keras"])
def test_a_real_fit(module: str, tmp_path: Path) -> None:
    program = tmp_path / "fit.py"
    program.write_text(PROGRAM.format(module=module))
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("headstart: start-up") == 1
    assert "headstart: epoch 1 without it" in done.stdout
