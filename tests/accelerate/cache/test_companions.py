"""Libraries that are built upon Keras (KerasHub) stand by their version, as Keras does, and are watched as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from .harness import Runner, same

# A package of that name where packages are installed: the real one brings a dozen others along.
_LIBRARY = """\
import keras

SCALE = 1.5


class Backbone(keras.Model):
    def __init__(self):
        inputs = keras.Input((4,))
        super().__init__(inputs, keras.layers.Dense(3)(inputs))
        self._functional_layer_ids = set(id(layer) for layer in self.layers)

    def call(self, inputs, training=False):
        return scaled(super().call(inputs, training=training))


def scaled(value):
    return value * SCALE
"""
_FACE = '__version__ = "1.0"\nfrom .src.models import backbone\n'
_PROGRAM = """\
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "site-packages"))
import keras
import keras_hub
import numpy as np

# here
keras.utils.set_random_seed(1)
model = keras_hub.backbone.Backbone()
model.compile("adam", "mse")
data = np.arange(32, dtype="float32").reshape(8, 4)
print(model.fit(data, data[:, :3], batch_size=4, epochs=2, verbose=0).history)
"""


def install(folder: Path, face: str, models: str) -> None:
    package = folder / "site-packages" / "keras_hub"
    (package / "src" / "models").mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(face)
    (package / "src" / "models" / "backbone.py").write_text(models)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    install(tmp_path, _FACE, _LIBRARY)
    (tmp_path / "program.py").write_text(_PROGRAM)
    return tmp_path / "program.py"


def replayed(runner: Runner, script: Path) -> bool:
    """Whether the step was replayed in a run that says what plain Python says."""
    ran = runner.run(script, cache=script.parent / "cache")
    same(runner.run(script), ran)
    assert not ran.reasons("refused"), ran.reasons("refused")
    return ran.count("replayed") == 1


def test_its_models_are_kept_though_their_code_could_not_be_walked(runner: Runner, script: Path) -> None:
    assert [replayed(runner, script) for _ in range(2)] == [False, True]


def test_another_version_is_traced_anew(runner: Runner, script: Path) -> None:
    replayed(runner, script)
    install(script.parent, _FACE.replace("1.0", "1.1"), _LIBRARY.replace("* SCALE", "* SCALE * 2"))
    assert [replayed(runner, script) for _ in range(2)] == [False, True]


@pytest.mark.parametrize(
    "patch", ["keras_hub.backbone.SCALE = 2.5", "keras_hub.backbone.scaled = lambda value: value + 1"]
)
def test_what_the_program_puts_into_it_is_seen(runner: Runner, script: Path, patch: str) -> None:
    replayed(runner, script)
    script.write_text(_PROGRAM.replace("# here", patch))
    assert [replayed(runner, script) for _ in range(2)] == [False, True]
