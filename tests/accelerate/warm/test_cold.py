"""The cold path: the collector is held off in heavy imports, and nothing else is different."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from headstart.accelerate.cold import Pause

from .conftest import Place


@pytest.fixture(autouse=True)
def _collector() -> object:
    before, enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.set_threshold(*before)
    gc.enable() if enabled else gc.disable()
    gc.unfreeze()


def test_held_off_inside_and_back_afterwards() -> None:
    before = gc.get_threshold()
    pause = Pause()
    pause.begin()
    assert gc.get_threshold()[0] == 0
    assert gc.isenabled(), "a package that asks must find it as it would"
    pause.begin()
    pause.end()
    assert gc.get_threshold()[0] == 0, "only the outermost import ends it"
    pause.end()
    assert gc.get_threshold() == before


@pytest.mark.parametrize("change", [lambda: gc.set_threshold(123, 4, 5), gc.disable])
def test_what_a_package_sets_stays_set(change: object) -> None:
    pause = Pause()
    pause.begin()
    change()  # type: ignore[operator]
    wanted = gc.get_threshold() if gc.isenabled() else None
    pause.end()
    if wanted is not None:
        assert gc.get_threshold() == wanted == (123, 4, 5)
    else:
        assert not gc.isenabled()
        assert gc.get_freeze_count() == 0


def test_a_collector_that_is_off_stays_off() -> None:
    gc.set_threshold(0)
    pause = Pause()
    pause.begin()
    pause.end()
    assert gc.get_threshold()[0] == 0
    assert gc.get_freeze_count() == 0


PROGRAM = """
import gc
class Node:
    def __del__(self):
        gone.append(1)
gone = []
import tensorflow
print(tensorflow.inside, gc.get_threshold(), gc.isenabled())
node = Node()
node.me = node
del node
gc.collect()
print(gone)
"""


def test_in_a_program(tmp_path: Path, place: Place) -> None:
    """Garbage that the program makes afterwards is found as ever; only the package saw the difference."""
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text("import gc\ninside = gc.get_threshold()[0]\n")
    (tmp_path / "main.py").write_text(PROGRAM)
    options = {"cwd": tmp_path, "capture_output": True, "text": True}
    plain = subprocess.run([sys.executable, "main.py"], **options)  # type: ignore[call-overload]
    cold = place.run("--no-warm", "main.py", cwd=tmp_path, text=True)
    assert cold.stdout.splitlines()[0].startswith("0 ")
    assert cold.stdout.split(" ", 1)[1] == plain.stdout.split(" ", 1)[1]
    assert cold.returncode == plain.returncode == 0
