"""The fifteen examples of the documents that headstart grew from: each gets a right answer, or none.

What each should get stands in its header; the texts are our own, the repairs are marked.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .judging import CASES, Case, judge

DOCUMENTS = sorted((CASES / "documents").glob("d*.py"))
QUICK = frozenset({"d003_1_multiply_in_a_loop", "d003_3_loop_as_a_function", "d004_1_graph_built_once"})
EXPECTS = re.compile(r"^# expects: (\S+)(?: at line (\d+))?$", re.MULTILINE)


def _expected(path: Path) -> Case:
    found = EXPECTS.search(path.read_text())
    assert found is not None, f"{path.name} does not say what it expects"
    slug, line = found.groups()
    if slug == "none":
        return Case(path, None, frozenset())
    return Case(path, slug, frozenset({(path.name, int(line))}))


def _parameters() -> list[object]:
    quick = [pytest.mark.tensorflow]
    return [
        pytest.param(path, id=path.stem, marks=quick if path.stem in QUICK else [*quick, pytest.mark.soak])
        for path in DOCUMENTS
    ]


def test_all_fifteen_are_there() -> None:
    assert [path.stem[:6] for path in DOCUMENTS] == [f"d{d:03}_{n}" for d in range(5) for n in (1, 2, 3)]
    for path in DOCUMENTS:
        text = path.read_text()
        assert ("# repaired:" in text) == bool(re.search(r"\S.*# repaired$", text, re.MULTILINE))


@pytest.mark.parametrize("path", _parameters())
def test_the_answer_is_right(path: Path, tmp_path: Path) -> None:
    assert judge(_expected(path), tmp_path).problems == []


@pytest.mark.soak
@pytest.mark.tensorflow
def test_as_written_the_ninth_fails_as_under_python(tmp_path: Path) -> None:
    """Document 003's third example calls .numpy() in a tf.function; its error and status are its own."""
    program = tmp_path / "written.py"
    text = (CASES / "documents" / "d003_3_loop_as_a_function.py").read_text()
    program.write_text(text.replace("tf.print(tf.reduce_sum(value))", "print(tf.reduce_sum(value).numpy())"))
    plain = subprocess.run([sys.executable, program], capture_output=True, text=True)
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", str(program)]
    ours = subprocess.run(command, capture_output=True, text=True)
    assert plain.returncode == ours.returncode == 1
    assert "numpy" in ours.stderr.splitlines()[-1] or "numpy" in ours.stderr
    assert "headstart" not in ours.stderr.replace(str(tmp_path), "")
