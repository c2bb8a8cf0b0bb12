"""The history: what is kept, where, and how it is shown. The same tests on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from headstart.errors import HeadstartError
from headstart.history.commit import repository
from headstart.history.database import _hidden
from headstart.history.entry import Entry, entry_of, identify
from headstart.history.store import KEPT, SqliteFile, Store, open_store
from headstart.render import history as renderer
from tests.render.sample import report

POSTGRES = Path("/usr/lib/postgresql")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A server of our own, on a free port of the loopback; gone when the tests are."""
    versions = sorted(POSTGRES.glob("*/bin/initdb")) if POSTGRES.is_dir() else []
    if not versions:
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("psycopg")
    # Not below pytest's own folder, which other sessions of pytest close to other users.
    folder = Path(tempfile.mkdtemp(prefix="headstart-postgres-"))
    user = None
    if os.getuid() == 0:  # the server refuses to run as root
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        shutil.chown(folder, user)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    binaries = versions[-1].parent
    data = folder / "data"

    env = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}

    def do(*words: str) -> None:
        done = subprocess.run(words, user=user, capture_output=True, text=True, cwd=folder, env=env)
        assert done.returncode == 0, done.stdout + done.stderr

    do(str(binaries / "initdb"), "-D", str(data), "-U", "tester", "-A", "trust", "--no-sync")
    options = f"-p {port} -h 127.0.0.1 -k {folder} -F"
    do(str(binaries / "pg_ctl"), "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
    try:
        yield f"postgresql://tester@127.0.0.1:{port}/postgres"
    finally:
        do(str(binaries / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "sqlite":
        return open_store(str(tmp_path / "deep" / "history.sqlite"))
    made = open_store(request.getfixturevalue("postgres_url"))
    made.forget()
    return made


def entry(
    seconds: float = 5.0, program: str = "shop/train.py", commit: str | None = "a" * 40, at: float = 0.0
) -> Entry:
    made = entry_of(report(), at=at)
    return msgspec.structs.replace(made, program=program, commit=commit, time_to_first_step=seconds)


def test_what_goes_in_comes_out(store: Store) -> None:
    rows = [
        entry(1.0),
        entry(2.0),
        msgspec.structs.replace(entry(3.0, commit=None), tensorflow=None, warm=True),
    ]
    for row in rows:
        store.add(row)
    assert store.entries() == rows
    assert store.entries("shop/train.py", most=2) == rows[1:]
    assert store.entries("other") == []


def test_programs_the_latest_first(store: Store) -> None:
    for name in ("a", "b", "b", "a"):
        store.add(entry(program=name))
    store.add(entry(program="c"))
    assert store.programs() == [("c", 1), ("a", 2), ("b", 2)]
    assert store.forget("a") == 2
    assert store.programs() == [("c", 1), ("b", 2)]
    assert store.forget() == 3


def test_odd_names_are_only_names(store: Store) -> None:
    name = "x'; DROP TABLE runs; --\n\"é"
    store.add(entry(program=name))
    assert store.programs() == [(name, 1)]
    assert store.entries(name)[0].program == name


def test_the_file_is_capped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert KEPT >= 1000
    monkeypatch.setattr("headstart.history.store.KEPT", 5)
    store = SqliteFile(str(tmp_path / "h.sqlite"))
    for number in range(9):
        store.add(entry(float(number)))
    assert [row.time_to_first_step for row in store.entries()] == [4.0, 5.0, 6.0, 7.0, 8.0]


def test_what_is_no_history_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "h.sqlite"
    path.write_text("not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(HeadstartError, match="cannot be used"):
        open_store(str(path)).entries()
    with pytest.raises(HeadstartError, match="cannot open the history"):
        open_store(str(path / "below")).entries()


def test_a_database_that_does_not_answer_is_a_clear_error() -> None:
    pytest.importorskip("sqlalchemy")
    with pytest.raises(HeadstartError, match="cannot open the history postgresql://me@127"):
        open_store("postgresql://me:secret@127.0.0.1:1/none")
    assert "secret" not in _hidden("postgresql://me:secret@host/db")


def test_two_writers_at_once(tmp_path: Path) -> None:
    path = tmp_path / "h.sqlite"
    code = (
        "import sys; from tests.history.test_history import entry; from headstart.history.store import open_store\n"
        "for _ in range(20): open_store(sys.argv[1]).add(entry())"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(open_store(str(path)).entries()) == 60


# --- the program's name and commit ----------------------------------------------------------------------------


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    command = ["git", "-C", str(folder), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_the_commit_is_git_s(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    (shop / "jobs").mkdir(parents=True)
    (shop / "jobs" / "train.py").write_text("pass")
    assert repository(str(shop)) in ((None, None), repository(str(tmp_path)))
    git(shop, "init", "-q", "-b", "main")
    assert repository(str(shop)) == (str(shop), None)
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "x")
    head = git(shop, "rev-parse", "HEAD")
    assert identify(["jobs/train.py"], str(shop)) == ("shop/jobs/train.py", head)
    assert identify(["-m", "shop.train", "--x"], str(shop)) == ("-m shop.train", head)
    assert identify(["-c", "secret code"], str(shop)) == ("-c", head)
    git(shop, "pack-refs", "--all")
    assert repository(str(shop / "jobs")) == (str(shop), head)
    git(shop, "worktree", "add", "-q", str(tmp_path / "other"), "-b", "branch")
    assert repository(str(tmp_path / "other")) == (str(tmp_path / "other"), head)
    git(shop, "checkout", "-q", "--detach")
    assert repository(str(shop)) == (str(shop), head)


# --- how it is shown --------------------------------------------------------------------------------------------


def history() -> list[Entry]:
    fast = [entry(5.0 + 0.01 * n, commit="a" * 40, at=1e9 + n) for n in range(8)]
    return fast + [entry(7.0 + 0.01 * n, commit="b" * 40, at=1e9 + 100 + n) for n in range(8)]


def test_runs_are_grouped_by_commit_and_judged() -> None:
    found = renderer.groups(history())
    assert [(g.commit, len(g.seconds), g.verdict) for g in found] == [
        ("a" * 40, 8, ""),
        ("b" * 40, 8, "slower"),
    ]
    assert [g.verdict for g in renderer.groups(history()[:8] + history()[:8])] == [""]
    assert renderer.groups([]) == []


def test_four_runs_a_commit_tell_a_large_change_and_no_small_one() -> None:
    half = [entry(2.5 + 0.05 * n, commit="c" * 40, at=1e9 + 300 + n) for n in range(4)]
    near = [entry(2.55 + 0.05 * n, commit="d" * 40, at=1e9 + 400 + n) for n in range(4)]
    assert [g.verdict for g in renderer.groups([*history()[:4], *half, *near])] == ["", "faster", ""]


@pytest.mark.parametrize("top", [0.0123, 0.9, 1.0, 7.3, 31.0, 99.0, 1234.5])
def test_ticks_are_round_and_few(top: float) -> None:
    ticks = renderer._ticks(top)
    assert ticks[0] == 0
    assert 4 <= len(ticks) <= 9
    assert ticks[-1] <= top < ticks[-1] + ticks[1]
    assert f"{ticks[1]:e}"[0] in "125"


def test_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    lines = renderer.text("shop/train.py", history()).split("\n")
    assert lines[0].startswith("shop/train.py")
    assert lines[0].endswith("time to first step, 16 runs")
    assert lines[1].startswith("  2001-09-09 01:46  aaaaaaaaa    8 runs     5.01 s   ██")
    assert "bbbbbbbbb    8 runs     7.02 s ▲ ██" in lines[2]
    assert all(len(line) <= 80 for line in lines)


def test_the_plot_is_a_page() -> None:
    page = renderer.plot([("<b>evil</b>", history())])
    assert page.count("<circle") == 16
    assert "<b>evil" not in page
    assert "<script" not in page


def test_the_command(tmp_path: Path) -> None:
    where = str(tmp_path / "h.sqlite")

    def do(*words: str, status: int = 0) -> str:
        command = [sys.executable, "-m", "headstart", *words]
        env = {**os.environ, "HEADSTART_HISTORY": where}
        done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    assert "no run is remembered yet" in do("history")
    (tmp_path / "hello.py").write_text("print('hello')")
    for words in ((), (), ("--history", "off")):
        assert "not remembered" not in do("profile", *words, "hello.py")
    assert "whole run, 2 runs" in do("history")
    assert "whole run, 2 runs" in do("history", "hello.py")
    assert "no run of other.py is remembered" in do("history", "other.py", status=2)
    do("history", "--json", "h.json", "--html", "h.html")
    runs = json.loads((tmp_path / "h.json").read_text())["runs"]
    assert len(runs) == 2
    assert all(run["phases"]["interpreter"] > 0 for run in runs)
    assert "<circle" in (tmp_path / "h.html").read_text()
    with sqlite3.connect(where) as db:
        assert db.execute("SELECT COUNT(*) FROM runs").fetchone() == (2,)
    assert "2 runs forgotten" in do("history", "--forget")


def test_a_broken_history_does_not_spoil_a_run(tmp_path: Path) -> None:
    (tmp_path / "hello.py").write_text("raise SystemExit(7)")
    command = [sys.executable, "-m", "headstart", "profile", "--history", "/proc/no/such", "hello.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 7
    assert "not remembered" in done.stderr
