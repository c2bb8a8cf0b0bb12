"""`headstart report` and `headstart doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headstart.cli import doctor

from .commands import headstart


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "main.py").write_text("import json, decimal\nprint('ran')\n")
    done = headstart("profile", "--record", "run.hsrun", "--json", "first.json", "main.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "shown").write_text(done.stderr)
    return folder


def test_the_same_report_again(run: Path) -> None:
    done = headstart("report", "run.hsrun", "--json", "again.json", cwd=run)
    assert done.returncode == 0
    assert done.stdout == (run / "shown").read_text()
    assert (run / "again.json").read_text() == (run / "first.json").read_text()


def test_a_folder_stands_for_its_records(run: Path) -> None:
    assert headstart("report", ".", cwd=run).stdout == (run / "shown").read_text()


def test_the_last_run_without_a_name(run: Path) -> None:
    done = headstart("profile", "-c", "print('last one')", cwd=run)
    assert headstart("report", cwd=run).stdout == done.stderr


def test_quiet_and_trace(run: Path) -> None:
    done = headstart("report", "-q", "run.hsrun", "--trace", "out.trace", cwd=run)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads((run / "out.trace").read_text())["traceEvents"]


def test_the_record_is_never_overwritten_by_a_report(run: Path) -> None:
    done = headstart("report", "run.hsrun", "--json", "run.hsrun", "--force", cwd=run)
    assert done.returncode == 2
    assert "two outputs" in done.stderr


def test_plain_text_where_nothing_else_is_understood(run: Path) -> None:
    done = headstart("report", "run.hsrun", cwd=run, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout


def test_doctor(run: Path) -> None:
    done = headstart("doctor", cwd=run)
    assert done.returncode == 0, done.stdout
    assert "Python" in done.stdout


def test_doctor_finds_what_is_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = {"tensorflow": "2.9.1", "keras": "2.9.0"}
    monkeypatch.setattr(doctor, "_version", versions.get)
    monkeypatch.setenv("HEADSTART_CACHE_DIR", "/proc/nowhere")
    assert doctor.main([]) == 1
    text = capsys.readouterr().out
    assert "TensorFlow 2.9.1 is too old" in text
    assert "headstart knows Keras 3" in text
    assert "a guess could be a wrong reuse: TensorFlow 2.9.1" in text


def test_doctor_without_tensorflow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_version", lambda name: None)
    assert doctor.main([]) == 0
    assert "not installed here" in capsys.readouterr().out
