"""Programs that use TensorFlow: same output, same messages, same numbers, and the live line tells of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from .program import environment
from .runners import HEADSTART, PYTHON
from .terminal import Terminal

pytestmark = pytest.mark.tensorflow
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Times of day, process numbers and durations differ from run to run.
VARYING = (
    (re.compile(r"^\S+ [0-9:.]+ +\d+ ", re.M), "<stamp> "),
    (re.compile(r"^[IWEF]\d{4} [0-9:.]+ +\d+ ", re.M), "<stamp> "),
    (re.compile(r"^\d{4}-\d\d-\d\d [0-9:.]+ ", re.M), "<stamp> "),
    (re.compile(r"\b\d+(\.\d+)?(ms|us|s)\b(/step)?"), "<time>"),
)


def said(text: str) -> str:
    for pattern, mark in VARYING:
        text = pattern.sub(mark, text)
    return text


def run(command: tuple[str, ...], script: Path, folder: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [*command, str(script)],
        cwd=folder,
        env=environment({"TF_CPP_MIN_LOG_LEVEL": None, "TMPDIR": str(folder)}),
        capture_output=True,
        text=True,
    )
    return done.returncode, said(done.stdout), said(done.stderr)


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_examples_say_the_same(script: Path, tmp_path: Path) -> None:
    """Nothing that headstart asks of TensorFlow makes TensorFlow talk."""
    run(PYTHON, script, tmp_path)  # some leave files behind in their first run
    assert run((*HEADSTART, "profile", "--quiet"), script, tmp_path) == run(PYTHON, script, tmp_path)


def test_the_live_line_of_a_fit(tmp_path: Path) -> None:
    # TensorFlow's own lines may leave no second of silence in a fast import: this one is silent for long enough.
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(3)\n")
    script = tmp_path / "main.py"
    script.write_text("import slow\n" + (ROOT / "examples" / "digits_fit.py").read_text())
    terminal = Terminal([*HEADSTART, "profile", str(script)], tmp_path, {"TF_CPP_MIN_LOG_LEVEL": "2"})
    terminal.wait_for_row("· importing slow")
    terminal.finish()
    first_epoch_done = terminal.output.index(b"Epoch 2/3")
    steps = terminal.output[first_epoch_done:]
    assert "· importing".encode() not in steps
    assert steps.count(b"\x1b7\x1b[r") <= 1  # the row is given back, and not taken again after the first step
    assert b"\x1b[1;23r" not in steps
    assert terminal.screen.margins is None
