"""`headstart compare` and `headstart bench` from the outside: exit status, files, texts."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from headstart.cli.compare import parse_limit
from headstart.errors import UsageError
from headstart.render.json import render
from tests.analyse.test_compare import SECONDS, run


def headstart(*words: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "headstart", *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directories of JSON reports: `a` and `a2` alike, `slow` with 30 % more tracing, `all` slower all over."""
    folder = tmp_path_factory.mktemp("sets")
    rng = random.Random(8)
    planted = {"a": {}, "a2": {}, "slow": {"tracing": 1.3}, "all": dict.fromkeys(SECONDS, 1.4)}
    for number in range(10):
        for name, factors in planted.items():
            (folder / name).mkdir(exist_ok=True)
            (folder / name / f"{number}.json").write_bytes(render(run(rng, factors)))
    return folder


def test_alike_is_said_and_passes(sets: Path) -> None:
    done = headstart("compare", sets / "a", sets / "a2", "--fail-over", "10%")
    assert "no difference that can be told" in done.stdout


def test_the_changed_phase_is_marked(sets: Path) -> None:
    done = headstart("compare", sets / "a", sets / "slow")
    marked = [line for line in done.stdout.split("\n") if "▲" in line]
    assert any("tracing" in line for line in marked)
    assert not any("imports" in line for line in marked)


def test_past_the_limit_is_status_1(sets: Path) -> None:
    done = headstart("compare", sets / "a", sets / "all", "--fail-over", "10%", status=1)
    assert "time to first step is more than 10 % slower" in done.stderr
    headstart("compare", sets / "a", sets / "all", "--fail-over", "60%", "-q")
    headstart(
        "compare", sets / "a", sets / "slow", "--fail-over", "10%", "--metric", "tracing", "-q", status=1
    )
    headstart("compare", sets / "all", sets / "a", "--fail-over", "10%", "-q")


def test_single_runs_never_fail(sets: Path) -> None:
    done = headstart("compare", sets / "a" / "0.json", sets / "all" / "0.json", "--fail-over", "1%")
    assert "too few runs" in done.stdout + done.stderr
    assert "bench -n 10 -- A --vs B" in done.stdout


@pytest.mark.parametrize("name", ["wall_seconds", "whole run", "time_to_first_step", "graph_optimization"])
def test_a_metric_by_the_reports_own_names(sets: Path, name: str) -> None:
    headstart("compare", sets / "a", sets / "a2", "-q", "--metric", name)


def test_one_run_is_one_run(sets: Path, tmp_path: Path) -> None:
    page = tmp_path / "out.md"
    headstart("compare", sets / "a" / "0.json", sets / "a2" / "0.json", "-q", "--markdown", page)
    assert page.read_text().count("0.json, 1 run.") == 2


def test_files_are_written(sets: Path, tmp_path: Path) -> None:
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "markdown", "html")}
    words = [word for kind, path in files.items() for word in (f"--{kind}", path)]
    headstart("compare", sets / "a", sets / "slow", *words, "-q")
    data = json.loads(files["json"].read_text())
    verdicts = {change["name"]: change["verdict"] for change in data["phases"]}
    assert verdicts["tracing"] == "slower"
    assert verdicts["imports"] == "same"
    assert "| tracing |" in files["markdown"].read_text()
    page = files["html"].read_text()
    assert "▲ slower" in page
    assert "<script" not in page
    headstart("compare", sets / "a", sets / "slow", *words, "-q")  # its own files may be replaced
    files["json"].write_text("mine")
    headstart("compare", sets / "a", sets / "slow", *words, "-q", status=2)
    assert files["json"].read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a"], "give two runs"),
        (["a", "/nowhere"], "cannot read /nowhere"),
        (["a", "a", "--fail-over", "much"], "wants a share or seconds"),
        (["a", "a", "--fail-over", "-5%"], "must not be negative"),
        (["a", "a", "--metric", "luck"], "no such metric: luck"),
        (["a", "empty"], "there is no record and no JSON report in"),
        (["a", "broken.json"], "not a headstart report"),
    ],
)
def test_bad_input_is_status_2(sets: Path, words: list[str], message: str) -> None:
    (sets / "empty").mkdir(exist_ok=True)
    (sets / "broken.json").write_text("{}")
    paths = [str(sets / word) if (sets / word).exists() else word for word in words]
    assert message in headstart("compare", *paths, status=2).stderr


def test_limits_are_read() -> None:
    assert parse_limit("10%") == (pytest.approx(0.1), True)
    assert parse_limit("0.5s") == (0.5, False)
    assert parse_limit("250ms") == (0.25, False)
    assert parse_limit("2") == (2.0, False)
    assert parse_limit(None) is None
    with pytest.raises(UsageError):
        parse_limit("nan%")


def test_bench_runs_both_in_turn_and_keeps_the_records(tmp_path: Path) -> None:
    log = tmp_path / "log"
    note = f"import sys; open({str(log)!r}, 'a').write(sys.argv[1])"
    words = ["-n", "4", "--keep", tmp_path / "kept", "--", "-c", note, "a", "--vs", "-c", note, "b"]
    done = headstart("bench", *words)
    assert log.read_text() == "ba" + "ab" + "ba" + "ab" + "ba"
    assert len(list((tmp_path / "kept" / "a").glob("*.hsrun"))) == 4
    assert "whole run" in done.stdout
    headstart("compare", tmp_path / "kept" / "a", tmp_path / "kept" / "b")
    assert "is not empty" in headstart("bench", *words, status=2).stderr


def test_bench_of_one_program(tmp_path: Path) -> None:
    done = headstart("bench", "-n", "4", "--no-warmup", "--", "-c", "import json")
    assert "4 runs of -c import json" in done.stdout
    assert "interpreter" in done.stdout


def test_bench_stops_when_a_program_fails() -> None:
    done = headstart("bench", "-n", "2", "--", "-c", "raise SystemExit('no such luck')", status=2)
    assert "ended with status 1: no such luck" in done.stderr
    done = headstart("bench", "-n", "2", "--", "-c", "raise SystemExit(3)", status=2)
    assert "ended with status 3\n" in done.stderr
    headstart("bench", "-n", "1", "--ignore-failure", "--", "-c", "raise SystemExit(3)")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x.py"], "put -- before the program"),
        (["--"], "give a program"),
        (["--", "x.py", "--vs"], "give a program"),
        (["-n", "many", "--", "x.py"], "-n wants a number"),
        (["-n", "0", "--", "x.py"], "-n must be from 1 to 1000"),
    ],
)
def test_bench_wants_sense(words: list[str], message: str) -> None:
    assert message in headstart("bench", *words, status=2).stderr


def test_cold_means_that_pages_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from headstart.launch import page_cache

    program = tmp_path / "program.py"
    program.write_text("pass")
    roots = page_cache._roots([str(program)])
    assert str(tmp_path) in roots
    assert any(root.endswith("site-packages") for root in roots)
    monkeypatch.setattr(page_cache, "_roots", lambda program: [str(tmp_path), "/nowhere"])
    assert page_cache.drop([str(program)]) == 1
