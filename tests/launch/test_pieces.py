"""The launcher's pieces, one by one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from headstart.errors import HeadstartError, UsageError
from headstart.launch import places
from headstart.launch.doing import doing
from headstart.launch.ending import Ending
from headstart.launch.environment import INJECT, capture_environment
from headstart.launch.target import parse_target
from headstart.launch.trailer import close_record
from headstart.record.reader import read_run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


# --- targets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "kind", "name", "title"),
    [
        (["main.py", "-x"], "script", "main.py", "main.py"),
        (["-m", "pack.tool", "a"], "module", "pack.tool", "-m pack.tool"),
        (["-mtool", "a"], "module", "tool", "-m tool"),
        (["-c", "print()", "a"], "code", "print()", "-c"),
        (["-cprint()"], "code", "print()", "-c"),
        (["-c", ""], "code", "", "-c"),
    ],
)
def test_targets(folder: Path, words: list[str], kind: str, name: str, title: str) -> None:
    (folder / "main.py").touch()
    target = parse_target(words)
    assert (target.kind, target.name, target.title, target.words) == (kind, name, title, words)


@pytest.mark.parametrize("words", [[], ["-m"], ["-c"], ["-"]])
def test_no_target(words: list[str]) -> None:
    with pytest.raises(UsageError):
        parse_target(words)


def test_missing_script() -> None:
    with pytest.raises(HeadstartError, match="no such script"):
        parse_target(["main.py"])


def test_unreadable_script(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the kernel's answer is made up."""
    (folder / "main.py").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(HeadstartError, match=r"cannot read main\.py: permission denied"):
        parse_target(["main.py"])


# --- the environment ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "path"), [(None, INJECT), ("", INJECT), ("a:b", f"{INJECT}:a:b"), (":", f"{INJECT}::")]
)
def test_environment(before: str | None, path: str) -> None:
    environ = {"A": "1"} | ({"PYTHONPATH": before} if before is not None else {})
    made = capture_environment(environ, "/r", 5, "id")
    assert made.pop("PYTHONPATH") == path
    assert json.loads(made.pop("HEADSTART_CAPTURE")) == {
        "record": "/r",
        "start_ns": 5,
        "pythonpath": before,
        "run": "id",
    }
    assert made == {"A": "1"}


# --- the record's last line ---------------------------------------------------------------------------------

HEADER = json.dumps(
    {
        "headstart_record": 1,
        "headstart": "0",
        "run": "r",
        "pid": 1,
        "ppid": 1,
        "argv": ["x"],
        "executable": "python",
        "python": "3",
        "start_ns": 10,
        "boot_ns": 20,
        "unix_ns": 0,
        "main_tid": 1,
    }
)
EXIT_3, SIGNAL_9 = 3 << 8, 9


@pytest.mark.parametrize(
    "content", ["", HEADER + "\n", HEADER + '\n["m",30,1,"step","a",null]\n["m",31,1,"st']
)
@pytest.mark.parametrize(("wait_status", "status", "number"), [(EXIT_3, 3, None), (SIGNAL_9, 137, 9)])
def test_trailer(folder: Path, content: str, wait_status: int, status: int, number: int | None) -> None:
    record = folder / "record"
    record.write_text(content)
    ending = Ending(wait_status, spawn_ns=10, at_ns=99, maxrss_kb=7)
    assert (ending.status, ending.signal) == (status, number)
    close_record(str(record), "r", ["python", "x"], 1, ending)
    run = read_run(record)
    assert run.header.argv == ["x"]
    assert run.exit == {"at_ns": 99, "status": status, "signal": number, "maxrss_kb": 7, "spawn_ns": 10}
    assert (run.header.start_ns, run.end_ns, run.cut) == (10, 99, False)
    assert len(run.marks) == content.count('"step"')


def test_a_record_that_cannot_be_written(folder: Path) -> None:
    close_record(str(folder / "no" / "record"), "r", ["python"], 1, Ending(0, 0, 1, 1))
    assert not (folder / "no").exists()


# --- places -------------------------------------------------------------------------------------------------


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("HEADSTART_CACHE_DIR", "~/mine")
    monkeypatch.setenv("HOME", str(folder))
    assert places.cache_folder() == str(folder / "mine")
    monkeypatch.delenv("HEADSTART_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative: not to be used")
    assert places.cache_folder() == str(folder / ".cache" / "headstart")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert places.cache_folder() == "/xdg/headstart"


def test_only_the_newest_runs_are_kept(folder: Path) -> None:
    runs = folder / "cache" / "runs"
    for number in range(places.KEPT_RUNS + 5):
        path = Path(places.new_record(f"{number:03}"))
        for name in (path, path.with_name(path.name + ".77")):
            name.touch()
            os.utime(name, (number, number))
    (runs / "something else").touch()
    assert runs.stat().st_mode & 0o777 == 0o700
    places.forget_old_runs()
    left = {path.name.split(".")[0] for path in runs.iterdir()}
    assert left == {f"{number:03}" for number in range(5, places.KEPT_RUNS + 5)} | {"something else"}
    assert len(list(runs.iterdir())) == 2 * places.KEPT_RUNS + 1
    assert places.newest_record() == str(runs / f"{places.KEPT_RUNS + 4:03}.hsrun")


def test_no_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADSTART_CACHE_DIR", "/proc/nowhere")
    record = places.new_record("run")
    assert os.access(os.path.dirname(record), os.W_OK)
    os.rmdir(os.path.dirname(record))
    assert places.newest_record() is None
    places.forget_old_runs()


# --- words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([], None),
        ([(1, "epoch", "1")], None),
        (
            [(1, "import", "tensorflow"), (2, "import", "numpy"), (3, "native", "/x/y.so")],
            (1, "importing tensorflow"),
        ),
        ([(1, "fit", "fit"), (2, "epoch", "1"), (3, "batch", "train")], (1, "in fit")),
        ([(1, "fit", "fit"), (2, "import", "a"), (3, "import", "b")], (2, "importing a")),
        ([(1, "execute", "__inference_train_step_1234")], (1, "optimising and running train_step")),
        ([(1, "native", "/usr/lib/lib.so")], (1, "loading lib.so")),
    ],
)
def test_doing(spans: list[tuple[int, str, str]], said: tuple[int, str] | None) -> None:
    assert doing(spans) == said
