"""What the server does to watch its imports must not stay in what it has imported."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from headstart.accelerate.warm import spawn
from headstart.accelerate.warm.preload import put_back

from .conftest import Place

PROGRAM = """
import sys
import IMPORTED
found = set()
for name, module in list(sys.modules.items()):
    for key, value in list(vars(module).items()):
        ours = type(value).__name__ == "function" and "/headstart/" in value.__code__.co_filename
        if ours and not name.startswith("headstart"):
            found.add(f"{name}.{key}")
print(*sorted(found))
"""
# What hides the server itself, and where the caches are switched on.
KNOWN = {
    "_frozen_importlib._find_and_load",
    "importlib._bootstrap._find_and_load",
    "gc.get_freeze_count",
    "os.getppid",
    "posix.getppid",
    "tensorflow.python.eager.polymorphic_function.tracing_compilation._create_concrete_function",
}


def ours_in(place: Place, imported: str, script: Path) -> set[str]:
    script.write_text(PROGRAM.replace("IMPORTED", imported))
    done = place.warm(str(script), timeout=120)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.decode().split())


def test_modules_that_keep_open_for_themselves_have_the_real_one(place: Place, tmp_path: Path) -> None:
    place.preload = "bz2,tarfile,gzip"
    place.start()
    assert ours_in(place, "bz2, tarfile, gzip", tmp_path / "looks.py") - KNOWN == set()
    code = "import bz2, tarfile; print(bz2._builtin_open is open, tarfile.bltn_open is open)"
    assert place.warm("-c", code).stdout == b"True True\n"


@pytest.mark.soak
@pytest.mark.tensorflow
def test_nothing_of_ours_in_tensorflow(place: Place, tmp_path: Path) -> None:
    place.preload = None
    place.start()
    assert ours_in(place, "tensorflow, keras, numpy", tmp_path / "looks.py") - KNOWN == set()


def test_put_back_wherever_it_was_taken() -> None:
    def ours() -> str:
        return "ours"

    def original() -> str:
        return "original"

    def uses(given: Any = ours) -> str:
        return str(given())

    @functools.wraps(ours)
    def wraps() -> str:
        return kept()

    kept, space = ours, {"open": ours}
    put_back(ours, original)
    assert (uses(), wraps(), space["open"](), wraps.__wrapped__()) == ("original",) * 4


def test_a_server_gets_what_imports_often_read_and_no_secret() -> None:
    given = {"TERM": "xterm", "HOME": "/h", "TF_X": "1", "API_TOKEN": "s", "MY_SETTING": "m"}
    assert spawn.environment(given) == {"TERM": "xterm", "HOME": "/h", "TF_X": "1"}
