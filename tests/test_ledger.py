"""The ledger of whole programs: it adds up, names what it saw, and finds the steps. Counts only, no clocks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headstart.analyse.report import PHASES

pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
CASES = sorted((ROOT / "cases").glob("[0-9]*.py"))
QUICK_CASES = (
    "14_tf1_ops_in_loop_fixed.py",
    "22_tape_open_across_steps_fixed.py",
    "37_import_for_one_helper_fixed.py",
)


def profiled(program: Path, folder: Path) -> dict[str, Any]:
    out = folder / "out.json"
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--json", str(out), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(out.read_text())
    return report


def check(report: dict[str, Any]) -> None:
    seconds = {row["id"]: row["seconds"] for row in report["phases"]}
    assert set(seconds) <= set(PHASES)
    assert sum(seconds.values()) == pytest.approx(report["wall_seconds"], rel=0.01)
    assert seconds.get("unattributed", 0.0) <= 0.05 * report["wall_seconds"]
    first = report["time_to_first_step"]
    if first is not None:
        before = {row["id"]: row["before_first_step_seconds"] for row in report["phases"]}
        assert sum(before.values()) == pytest.approx(first, rel=0.01)
        assert before.get("unattributed", 0.0) <= 0.05 * first
    assert report["target"]["exit_code"] == 0
    # Whether the steps of a short program settle is the machine's affair.
    assert [note for note in report["notes"] if not note.startswith("The steps were still settling")] == []


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_examples(program: Path, tmp_path: Path) -> None:
    report = profiled(program, tmp_path)
    check(report)
    kinds = {"digits_fit": "fit", "digits_custom_loop": "function", "digits_tf1_session": "session"}
    if program.stem in kinds:
        assert report["steps"]["kind"] == kinds[program.stem]
        assert report["steps"]["file"] == str(program)
    assert report["steps"]["count"] >= 2


@pytest.mark.parametrize("program", [c for c in CASES if c.name in QUICK_CASES], ids=lambda path: path.stem)
def test_a_few_cases(program: Path, tmp_path: Path) -> None:
    check(profiled(program, tmp_path))


@pytest.mark.soak
@pytest.mark.parametrize(
    "program", [c for c in CASES if c.name not in QUICK_CASES], ids=lambda path: path.stem
)
def test_every_case(program: Path, tmp_path: Path) -> None:
    check(profiled(program, tmp_path))


def test_a_program_without_tensorflow(tmp_path: Path) -> None:
    program = tmp_path / "plain.py"
    program.write_text("import json\nprint(sum(range(1000)))\n")
    report = profiled(program, tmp_path)
    check(report)
    assert report["target"]["tensorflow"] is None
    assert report["time_to_first_step"] is None
    assert {row["id"] for row in report["phases"]} >= {"interpreter", "imports", "shutdown"}
