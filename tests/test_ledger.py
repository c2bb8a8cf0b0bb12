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
    assert {row["id"] for row in report["phases"]} >= {"interpreter", "imports", "shutdown"}
