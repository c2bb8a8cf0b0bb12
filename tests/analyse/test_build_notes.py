"""What a report says about its own measurement."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.analyse.build import analyse
from headstart.launch.ending import Ending
from headstart.launch.surroundings import surroundings
from headstart.launch.trailer import close_record
from headstart.record.reader import read_run
from tests.made_runs import MadeRun


def settling(tmp_path: Path, steps: list[float]) -> list[str]:
    made, at = MadeRun(), 100.0
    for length in steps:
        made.span(at, at + length, "batch", "train", steps=1)
        at += length
    return analyse(made.exit(at).read(tmp_path)).report.notes


def test_a_run_that_ended_before_it_was_steady_says_so(tmp_path: Path) -> None:
    rough = [900, *([20, 300, 15, 280, 310, 18] * 3), 22, 19, 20, 21, 300]
    assert any("still settling" in note for note in settling(tmp_path, [float(x) for x in rough]))


def test_a_steady_run_says_nothing(tmp_path: Path) -> None:
    assert settling(tmp_path, [900.0, *[20.0 + index % 3 for index in range(30)]]) == []


def test_the_surroundings_reach_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    record = tmp_path / "a.hsrun"
    close_record(str(record), "r", ["python", "x.py"], 1, Ending(0, spawn_ns=10, at_ns=99, maxrss_kb=7))
    found = analyse(read_run(record)).report.environment
    assert found == surroundings()
    assert found["TF_ENABLE_ONEDNN_OPTS"] == "0"
    assert int(found["cores"]) >= 1
    assert "hush" not in record.read_text()
