"""The same cause is found however the program is run: in a `with` block, as a cell, with `-c`, from a package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.tensorflow

STEP = """\
import tensorflow as tf

table = tf.Variable(tf.ones((8, 8)))


@tf.function
def step(x, number):
    for _ in range(40):
        x = tf.tanh(tf.matmul(x, table)) * (number + 1)
    return x
"""
LOOP = """\
for number in range(60):
    step(tf.ones((2, 8)), number)
"""
TELL = """\
import json
print("FOUND", json.dumps([[f.rule, f.file, f.line, f.confidence] for f in p.report.findings]))
"""


def run(folder: Path, *command: str) -> str:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(output: str) -> list[Any]:
    (line,) = [line for line in output.splitlines() if line.startswith("FOUND ")]
    found: list[Any] = json.loads(line.removeprefix("FOUND "))
    return found


def profiled(folder: Path, *target: str) -> list[Any]:
    run(folder, sys.executable, "-m", "headstart", "profile", "--quiet", "--json", "r.json", *target)
    report = json.loads((folder / "r.json").read_text())
    return [[f["rule"], f["file"], f["line"], f["confidence"]] for f in report["findings"]]


def test_a_block_of_a_running_program(tmp_path: Path) -> None:
    """TensorFlow was imported and the function traced once before the block."""
    program = tmp_path / "partly.py"
    block = "with headstart.profile(quiet=True) as p:\n" + "".join(f"    {x}\n" for x in LOOP.splitlines())
    program.write_text(f"import headstart\n{STEP}\nstep(tf.ones((2, 8)), -1)\n{block}\n{TELL}")
    (only,) = told(run(tmp_path, sys.executable, str(program)))
    text = program.read_text().splitlines()[only[2] - 1]
    assert only[0] == "HS301"
    assert os.path.samefile(only[1], program)
    assert text.strip() == "step(tf.ones((2, 8)), number)"


@pytest.mark.soak
def test_a_cell_whose_source_is_only_in_memory(tmp_path: Path) -> None:
    program = tmp_path / "cells.py"
    program.write_text(
        "import headstart, linecache\n"
        f"cells = {[STEP, LOOP]!r}\n"
        "scope = {}\n"
        "with headstart.profile(quiet=True) as p:\n"
        "    for i, cell in enumerate(cells):\n"
        "        name = f'<ipython-input-{i}-cell>'\n"
        "        linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)\n"
        "        exec(compile(cell, name, 'exec'), scope)\n" + TELL
    )
    (only,) = told(run(tmp_path, sys.executable, str(program)))
    assert only[0] == "HS301"
    assert only[1:3] == ["<ipython-input-1-cell>", 2]


@pytest.mark.soak
def test_code_on_the_command_line(tmp_path: Path) -> None:
    (only,) = profiled(tmp_path, "-c", f"{STEP}\n{LOOP}")
    assert only[0] == "HS301"


@pytest.mark.soak
def test_a_package_run_as_a_module(tmp_path: Path) -> None:
    package = tmp_path / "work"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "steps.py").write_text(STEP)
    (package / "__main__.py").write_text(f"import tensorflow as tf\nfrom .steps import step\n{LOOP}")
    (only,) = profiled(tmp_path, "-m", "work")
    assert only[0] == "HS301"
    assert os.path.basename(only[1]) == "__main__.py"
    assert only[2] == 4


@pytest.mark.soak
def test_a_library_of_the_users_own_is_not_accused(tmp_path: Path) -> None:
    """The line is the user's innermost one, never one of an installed package."""
    library = tmp_path / "lib" / "site-packages"
    library.mkdir(parents=True)
    (library / "helper.py").write_text(
        f"{STEP}\n\ndef turn(number):\n    return step(tf.ones((2, 8)), number)\n"
    )
    program = tmp_path / "uses.py"
    program.write_text(
        f"import sys\nsys.path.insert(0, {str(library)!r})\nimport helper\n"
        "for number in range(60):\n    helper.turn(number)\n"
    )
    (only,) = profiled(tmp_path, str(program))
    assert [only[0], os.path.basename(only[1]), only[2]] == ["HS301", "uses.py", 5]
