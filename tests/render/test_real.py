"""Every form of the report of one real run."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
KINDS = ("json", "html", "trace", "speedscope", "prometheus")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("real")
    files = {kind: folder / f"report.{kind}" for kind in KINDS}
    words = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    command = [sys.executable, "-m", "headstart", "profile", *words, str(ROOT / "examples" / "digits_fit.py")]
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    found = {kind: path.read_text(encoding="utf-8") for kind, path in files.items()}
    return {**found, "terminal": done.stderr}


pytestmark = pytest.mark.tensorflow


def test_all_forms_tell_the_same_story(outputs: dict[str, str]) -> None:
    report = json.loads(outputs["json"])
    wall = report["wall_seconds"]
    assert sum(phase["seconds"] for phase in report["phases"]) == pytest.approx(wall, rel=1e-6)
    assert report["steps"]["kind"] == "fit"
    phases = [
        line for line in outputs["prometheus"].split("\n") if line.startswith("headstart_phase_seconds")
    ]
    assert sum(float(line.rpartition(" ")[2]) for line in phases) == pytest.approx(wall, rel=1e-6)
    lane = [e for e in json.loads(outputs["trace"])["traceEvents"] if e["ph"] == "X" and e["cat"] == "phase"]
    assert sum(event["dur"] for event in lane) / 1e6 == pytest.approx(wall, rel=1e-3)
    packed = outputs["html"].partition('id="data">')[2].partition("<")[0]
    page = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert page["wall"] == wall
    assert len(page["steps"]["durations"]) == report["steps"]["count"]
    assert len(page["steps"]["epochs"]) == len(report["epochs"])
    profiles = json.loads(outputs["speedscope"])["profiles"]
    assert [profile["name"] for profile in profiles][:2] == ["phases", "main thread"]


def test_the_page_of_an_ordinary_run_is_small(outputs: dict[str, str]) -> None:
    assert len(outputs["html"].encode()) < 1_000_000


def test_the_text_is_readable_at_80_columns(outputs: dict[str, str]) -> None:
    text = outputs["terminal"][outputs["terminal"].index("headstart 0.") :]
    assert "to the end of the first step" in text
    assert "steady ones" in text
    assert "headstart's own cost" in text
    assert all(len(line) <= 80 for line in text.split("\n"))
