"""`headstart lab` as a user calls it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from headstart.lab.lab import put_in
from headstart.lab.result import from_json, to_json
from tests.cli.commands import HEADSTART, headstart
from tests.launch.program import environment

from .test_pages import lab


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_bytes(to_json(lab("partly")))
    return path


def test_lists_all_claims(tmp_path: Path) -> None:
    done = headstart("lab", "--list", cwd=tmp_path)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 47
    assert headstart("lab", "--list", "C07", cwd=tmp_path).stdout.startswith("C07  compile-builds-the-graph")


def test_prints_its_programs(tmp_path: Path) -> None:
    done = headstart("lab", "--source", "C20", cwd=tmp_path)
    assert "def dynamic_graph_loop(iterations):" in done.stdout


def test_unknown_claim(tmp_path: Path) -> None:
    done = headstart("lab", "C77", cwd=tmp_path)
    assert done.returncode == 2
    assert "no such claim: C77" in done.stderr


@pytest.mark.parametrize("words", [("--seed", "x"), ("--budget", "-1"), ("--seed", "1.5")])
def test_bad_numbers(tmp_path: Path, words: tuple[str, str]) -> None:
    done = headstart("lab", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{words[0]} needs a number" in done.stderr


def test_shows_and_writes_a_stored_result(tmp_path: Path, stored: Path) -> None:
    names = {"json": "again.json", "html": "page.html", "markdown": "page.md"}
    words = [word for kind, name in names.items() for word in (f"--{kind}", name)]
    done = headstart("lab", "--from", stored, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "C10  holds when" in done.stdout
    assert (tmp_path / "again.json").read_bytes() == to_json(from_json(stored.read_bytes()))
    assert (tmp_path / "page.md").read_text().startswith("# What is said about slow starts")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert headstart("lab", "--from", stored, *words, cwd=tmp_path).returncode == 0, (
        "its own files it replaces"
    )


def test_replaces_nothing_that_is_not_its_own(tmp_path: Path, stored: Path) -> None:
    (tmp_path / "notes.md").write_text("mine\n")
    done = headstart("lab", "--from", stored, "--markdown", "notes.md", cwd=tmp_path)
    assert done.returncode == 2
    assert (tmp_path / "notes.md").read_text() == "mine\n"


def test_compares_two_machines(tmp_path: Path, stored: Path) -> None:
    done = headstart("lab", "--compare", stored, stored, cwd=tmp_path)
    assert "0 of 47 verdicts differ" in done.stdout
    assert headstart("lab", "--compare", stored, cwd=tmp_path).returncode == 2
    assert headstart("lab", "--compare", stored, "nothing.json", cwd=tmp_path).returncode == 2


def test_nothing_to_go_on_with_and_no_tensorflow(tmp_path: Path) -> None:
    """An interpreter that cannot import TensorFlow: said in one line, before anything is measured."""
    (tmp_path / "tensorflow.py").write_text("raise ImportError('broken on purpose')\n")
    done = headstart("lab", "--quick", "F06", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert "broken on purpose" in done.stderr
    assert "Traceback" not in done.stderr


def quick_lab(folder: Path, *words: str, seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HEADSTART, "lab", "--quick", "--json", "out.json", *words],
        cwd=folder,
        env=environment({"HEADSTART_CACHE_DIR": str(folder / "cache")}),
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def test_again_needs_a_result_and_claims(tmp_path: Path, stored: Path) -> None:
    for words in (("--again", "F06"), ("--from", stored, "--again")):
        done = headstart("lab", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert "--again needs a result and claims" in done.stderr


@pytest.mark.tensorflow
def test_again_refuses_the_result_of_another_machine(tmp_path: Path, stored: Path) -> None:
    done = headstart("lab", "--from", stored, "--again", "F06", cwd=tmp_path)
    assert done.returncode == 2
    assert "that result was made elsewhere" in done.stderr


def test_claims_that_were_measured_again_take_their_places() -> None:
    old, new = lab("partly"), lab("holds")
    some = msgspec.structs.replace(new, claims=new.claims[3:5])
    found = put_in(some, old)
    assert [claim.id for claim in found.claims] == [claim.id for claim in old.claims]
    assert found.claims[3:5] == new.claims[3:5]
    assert found.claims[:3] + found.claims[5:] == old.claims[:3] + old.claims[5:]
    assert found.seconds == old.seconds + new.seconds


@pytest.mark.tensorflow
def test_one_claim_from_beginning_to_end(tmp_path: Path) -> None:
    """A claim about counts, so that no clock decides: forked arms, record, verdict, files."""
    done = quick_lab(tmp_path, "F06", "-v", seconds=280)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    (claim,) = result["claims"]
    assert claim["verdict"] == "does not hold"
    assert (claim["effect"], claim["interval"]) == (1.0, [1.0, 1.0])
    assert claim["measurements"]["arguments"][0]["floats"] == 30
    assert claim["ledger"]["agrees"]
    assert claim["ledger"]["ledger"] == 33
    assert result["environment"]["tensorflow"]
    assert list((tmp_path / "cache" / "lab" / "results").glob("*.json"))
    assert not (tmp_path / "cache" / "lab" / "session-quick.jsonl").exists()


def running_with(text: str) -> list[str]:
    """Command lines of processes that mention it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            found.append(line)
    return found


@pytest.mark.tensorflow
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)])
def test_interrupted_and_resumed(tmp_path: Path, number: signal.Signals) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environ = environment({"HEADSTART_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(scratch)})
    words = [HEADSTART, "lab", "--quick", "F06", "F07"]
    session = tmp_path / "cache" / "lab" / "session-quick.jsonl"
    process = subprocess.Popen(
        words, cwd=tmp_path, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and process.poll() is None:
        if session.exists() and len(session.read_text().splitlines()) >= 2:
            break
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -number, errors
    assert not list(scratch.glob("headstart-lab-*"))
    assert not running_with(str(scratch)), "what the lab has started must not outlive it"
    assert "go on with: headstart lab --quick --resume" in errors
    made = [json.loads(line) for line in session.read_text().splitlines()][1:]
    assert made
    again = subprocess.run(
        [*words, "--resume", "--json", "out.json"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert again.returncode == 0, again.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    assert [claim["verdict"] for claim in result["claims"]] == ["does not hold"] * 2
    first = next(line["notes"] for line in made if "arm" in line)
    assert result["claims"][0]["measurements"]["arguments"][0] == first, "what was measured before counts"


@pytest.mark.soak
@pytest.mark.tensorflow
@pytest.mark.timeout(1500)
def test_quick_lab(tmp_path: Path) -> None:
    """All claims, in time, each with a verdict; the ledger agrees with the outside clock."""
    done = quick_lab(tmp_path, seconds=1400)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    assert len(result["claims"]) == 47
    assert not [claim["id"] for claim in result["claims"] if claim["error"]]
    assert result["seconds"] < 600
    print(done.stdout, file=sys.stderr)
