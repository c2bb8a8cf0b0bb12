"""A server's life: it starts by itself, fits or does not, and leaves when it should."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headstart.accelerate import notes
from headstart.accelerate.warm.server import Server

from .conftest import HEADSTART, LIMIT_SECONDS, Place, wait_until


def test_first_run_is_cold_and_starts_one(place: Place) -> None:
    preload = {"HEADSTART_WARM_PRELOAD": "json"}
    first = place.run("-v", "-c", "print('hi')", env=preload)
    assert first.stdout == b"hi\n"
    assert b"cold" in first.stderr
    assert b"starting" in first.stderr
    wait_until(lambda: place.servers())
    second = place.run("-v", "-c", "print('hi')")
    assert second.stdout == b"hi\n"
    assert second.stderr.startswith(b"headstart: warm, forked from ")
    assert len(second.stderr.splitlines()) == 1


@pytest.mark.parametrize("off", [["--no-warm"], []])
def test_can_be_done_without(off: list[str], place: Place) -> None:
    env = {} if off else {"HEADSTART_WARM": "0"}
    done = place.run("-v", *off, "-c", "print('hi')", env=env)
    assert done.stdout == b"hi\n"
    assert done.stderr == b"headstart: cold (warm runs are off)\n"
    assert not place.processes()


def test_status_and_stop(place: Place) -> None:
    pid = place.start()
    place.warm("-c", "pass")
    wait_until(lambda: int(place.servers()[0]["runs"]) == 1)
    server = place.servers()[0]
    assert int(server["pid"]) == pid
    assert 0 <= float(server["idle_seconds"]) <= float(server["age_seconds"])
    assert int(server["memory_bytes"]) > 1_000_000
    shown = place.headstart("warm", "status").stdout.decode()
    for word in ("key", "min old", "MB", "1 runs served", "s saved"):
        assert word in shown
    assert place.headstart("warm", "stop").stdout == b"stopped 1\n"
    wait_until(lambda: not place.processes())
    assert not list(place.sockets.glob("*.sock"))
    assert not list(place.sockets.glob("*.key"))


def test_a_server_that_nobody_has_used_is_as_idle_as_it_is_old() -> None:
    """Its very first answer; every one after that knows when it was asked before."""
    anything: Any = SimpleNamespace(seconds=0.0, attempted=set(), hidden={}, terminal="")
    server = Server("", b"key", anything, [], anything, anything, anything, anything)
    facts = dict(line.split("=", 1) for line in server._answer(b"status").splitlines())
    assert 0 <= float(facts["idle_seconds"]) <= float(facts["age_seconds"]) + 0.1  # of the answer's rounding


def test_one_server_however_many_start_it(place: Place) -> None:
    env = {**place.env, "HEADSTART_WARM_PRELOAD": "json"}
    started = [
        subprocess.Popen(
            [HEADSTART, "warm", "start"], env=env, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        for _ in range(5)
    ]
    assert [process.wait(60) for process in started] == [0] * 5
    assert len(place.servers()) == 1


def test_sweeping_up_leaves_locks_alone(place: Place) -> None:
    """Their names are hashes; one in forty has digits only, as the number of a process has."""
    place.sockets.mkdir(mode=0o700, parents=True)
    kept = {"84512390.lock", "84512390.mark"}
    for name in {*kept, "84512390.sock", "84512390.log", "84512390.key"}:
        (place.sockets / name).touch()
    place.start()
    found = {path.name for path in place.sockets.glob("84512390.*")}
    assert found == kept


def test_one_server_a_key_whatever_was_learned_meanwhile(place: Place) -> None:
    """A variable that has become known makes another lock of the same environment."""
    pid = place.start()
    command = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
    lines = Path(f"/proc/{pid}/environ").read_text().split("\0")
    environ = dict(line.split("=", 1) for line in lines if line)
    known = place.folder / "learned" / notes.name()
    known.parent.mkdir(exist_ok=True)
    known.write_text("variable PATH\n")
    locks = len(list(place.sockets.glob("*.lock")))
    subprocess.run(command, env=environ, timeout=LIMIT_SECONDS, check=True)
    assert len(list(place.sockets.glob("*.lock"))) == locks + 1
    assert [int(server["pid"]) for server in place.servers()] == [pid]


def test_leaves_when_idle(place: Place) -> None:
    place.start(HEADSTART_WARM_IDLE_MINUTES="0.01")
    wait_until(lambda: not place.processes())


def test_not_idle_while_a_program_runs(place: Place) -> None:
    """Woken again and again, long after its idle time, it stays; when the program has ended, it leaves."""
    pid = place.start(HEADSTART_WARM_IDLE_MINUTES="0.01")
    process = subprocess.Popen(
        [HEADSTART, "run", "--only-warm", "-c", "print('on', flush=True); print(input())"],
        env=place.env,
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"on\n"
    on = time.monotonic()
    while time.monotonic() < on + 1.2:  # twice its idle time; to ask it anything would start that anew
        os.kill(pid, signal.SIGCHLD)  # wakes it, and it considers whether to leave
        time.sleep(0.05)
    assert [int(server["pid"]) for server in place.servers()] == [pid]
    assert process.communicate(b"end\n", timeout=60)[0] == b"end\n"
    assert process.returncode == 0
    wait_until(lambda: not place.processes())


def test_bounded_in_memory(place: Place) -> None:
    done = place.headstart(
        "warm", "start", env={"HEADSTART_WARM_PRELOAD": "json", "HEADSTART_WARM_MEGABYTES": "1"}
    )
    assert done.returncode != 0
    wait_until(lambda: not place.processes())
    assert place.run("-c", "print(1)", env={"HEADSTART_WARM_PRELOAD": "json"}).stdout == b"1\n"


def test_few_at_once(place: Place) -> None:
    """A fifth server makes the least recently used one leave."""
    pids = [place.start(TF_VARIANT=str(n), HEADSTART_WARM_SERVERS="2") for n in range(3)]
    wait_until(lambda: {int(server["pid"]) for server in place.servers()} == set(pids[1:]))


def test_another_environment_has_another_server(place: Place) -> None:
    """What is read at import belongs to the key; what is not, does not."""
    place.start(TF_CPP_MIN_LOG_LEVEL="2")
    code = "import os; print(os.environ.get('TF_CPP_MIN_LOG_LEVEL'), os.environ.get('OTHER'))"
    same = place.warm("-c", code, env={"TF_CPP_MIN_LOG_LEVEL": "2", "OTHER": "x"})
    assert same.stdout == b"2 x\n"
    different = place.warm("-c", code, env={"TF_CPP_MIN_LOG_LEVEL": "3"})
    assert different.returncode == 2
    assert b"would be cold" in different.stderr
    cold = place.run("-c", code, env={"TF_CPP_MIN_LOG_LEVEL": "3", "HEADSTART_WARM_PRELOAD": "json"})
    assert cold.stdout == b"3 None\n"


@pytest.mark.parametrize(
    "name", ["PYTHONHASHSEED", "PYTHONPATH", "LANG", "OMP_NUM_THREADS", "HOME", "LD_PRELOAD"]
)
def test_variables_of_the_key(name: str, shared: Place, tmp_path: Path) -> None:
    value = {"PYTHONPATH": "/nowhere", "HOME": str(tmp_path), "LANG": "de_DE.UTF-8"}.get(name, "7")
    done = shared.warm("-c", "pass", env={name: value})
    assert done.returncode == 2
    assert b"would be cold" in done.stderr


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os\nos.environ['TF_' + 'X'] = '1'\nimport tensorflow", b"may set"),
        ("import os, sys\nos.environ['TF_X'] = sys.argv[0]\nimport tensorflow", b"may set TF_X"),
        ("import os\nos.environ['TF_X'] = '1'\nimport tensorflow", b"TF_X that the program sets"),
    ],
)
def test_a_program_that_sets_import_time_variables_is_not_run_here(
    code: str, why: bytes, shared: Place
) -> None:
    done = shared.warm("-c", code)
    assert done.returncode == 2
    assert why in done.stderr


def test_a_program_that_sets_a_constant_gets_a_server_with_it(place: Place, tmp_path: Path) -> None:
    """Two programs, two servers: each has had its variable from the start."""
    program = tmp_path / "program.py"
    program.write_text("import os\nos.environ['TF_X'] = '1'\nimport tensorflow\nprint(tensorflow.seen)\n")
    fake = tmp_path / "site" / "tensorflow"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("import os\nseen = os.environ.get('TF_X')\n")
    place.preload = "tensorflow"
    place.env["PYTHONPATH"] = str(tmp_path / "site")
    env = {"HEADSTART_WARM_PRELOAD": "tensorflow"}
    assert place.run(str(program), env=env).stdout == b"1\n"
    wait_until(lambda: place.servers())
    assert place.warm(str(program)).stdout == b"1\n"
    place.start()
    assert len(place.servers()) == 2
    assert place.warm(str(program)).stdout == b"1\n"
    assert place.warm("-c", "import tensorflow; print(tensorflow.seen)").stdout == b"None\n"


class TestPackages:
    """An environment whose packages change under the server."""

    @pytest.fixture
    def own(self, tmp_path: Path) -> Place:
        """A virtual environment of its own, as light as can be."""
        venv = tmp_path / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
        site = next((venv / "lib").glob("python*/site-packages"))
        (site / "headstart.pth").write_text(str(Path(__file__).parents[3] / "src"))
        (site / "thing.py").write_text("version = 1\n")
        place = Place(tmp_path / "cache", preload="thing")
        place.env["PATH"] = f"{venv / 'bin'}:{place.env['PATH']}"
        self.python, self.site, self.venv = venv / "bin" / "python", site, venv
        return place

    def run(self, place: Place, *words: str) -> bytes:
        env = {**place.env, "HEADSTART_WARM_PRELOAD": "thing"}
        command = [str(self.python), "-m", "headstart", *words]
        done = subprocess.run(command, env=env, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        return done.stdout + done.stderr

    def test_upgrade(self, own: Place) -> None:
        """A package is upgraded between two runs: the second run has the new one, and so has the next server."""
        code = ("-c", "import thing; print(thing.version)")
        self.run(own, "warm", "start")
        assert self.run(own, "run", "--only-warm", *code) == b"1\n"
        # Of another size: Python itself takes byte code of the same second and size for that of the new file.
        (self.site / "thing.py").write_text("version = 1 + 1\n")
        assert self.run(own, "run", *code) == b"2\n"
        wait_until(lambda: self.run(own, "run", "--only-warm", *code) == b"2\n")
        own.stop()

    def test_install(self, own: Place) -> None:
        """A new package may shadow or replace an old one: the server leaves."""
        self.run(own, "warm", "start")
        (self.site / "another.dist-info").mkdir()
        wait_until(lambda: not own.processes())

    def test_uninstall_of_the_environment(self, own: Place) -> None:
        self.run(own, "warm", "start")
        shutil.rmtree(self.venv)
        wait_until(lambda: not own.processes())

    def test_while_a_program_runs(self, own: Place) -> None:
        """The server leaves; the program that it has forked goes on."""
        self.run(own, "warm", "start")
        code = "import sys; print('on', flush=True); sys.stdin.readline(); import thing; print(thing.version)"
        process = subprocess.Popen(
            [str(self.python), "-m", "headstart", "run", "--only-warm", "-c", code],
            env=own.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"on\n"
        server = min(own.processes())
        (self.site / "other.py").write_text("")
        wait_until(lambda: not os.path.exists(f"/proc/{server}"))
        assert process.communicate(b"\n", timeout=60)[0] == b"1\n"
        assert process.returncode == 0


def test_a_shadowing_file_is_honoured(shared: Place, tmp_path: Path) -> None:
    """A module beside the script takes the place of a library's, as with plain `python`."""
    (tmp_path / "json.py").write_text("print('mine')")
    (tmp_path / "main.py").write_text("import json")
    assert shared.warm(str(tmp_path / "main.py")).returncode == 2
    assert shared.run(str(tmp_path / "main.py")).stdout == b"mine\n"


def test_a_path_put_in_front_is_honoured(shared: Place, tmp_path: Path) -> None:
    """Found when the module is imported; nothing has happened yet, so the program is started again, cold."""
    (tmp_path / "front").mkdir()
    (tmp_path / "front" / "json.py").write_text("print('mine')")
    (tmp_path / "main.py").write_text("import sys\nsys.path.insert(0, 'front')\nimport json\nprint(sys.argv)")
    for _ in range(2):
        done = shared.run("main.py", "a b", cwd=tmp_path)
        assert (done.stdout, done.returncode) == (b"mine\n['main.py', 'a b']\n", 0)
    assert shared.warm("main.py", cwd=tmp_path).returncode == 2, "remembered"


def test_a_program_that_cannot_go_on_says_so(shared: Place, tmp_path: Path) -> None:
    """The same, but the program has written already: it cannot be started again unseen. The next run is cold."""
    (tmp_path / "front").mkdir()
    (tmp_path / "front" / "json.py").write_text("print('mine')")
    (tmp_path / "main.py").write_text(
        "import sys\nprint('said', flush=True)\nsys.path.insert(0, 'front')\nimport json"
    )
    first = shared.run("main.py", cwd=tmp_path)
    assert first.stdout == b"said\n"
    assert first.returncode == 70
    assert b"run it again" in first.stderr
    second = shared.run("main.py", cwd=tmp_path)
    assert (second.stdout, second.returncode) == (b"said\nmine\n", 0)


def test_a_stopped_server_is_ended(place: Place) -> None:
    """Hung is as good as dead: the program runs, and the next run does not wait again."""
    pid = place.start()
    for process in place.processes():
        os.kill(process, signal.SIGSTOP)
    assert place.run("-c", "print(1)", env={"HEADSTART_WARM_PRELOAD": "json"}).stdout == b"1\n"
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"))


@pytest.mark.parametrize("runner", [sys.executable, f"{HEADSTART} run --only-warm"])
def test_a_stopped_neighbour_is_not_hung_up_on(runner: str, place: Place) -> None:
    """Of a group that nobody in its session looks after, the kernel ends what is stopped when somebody leaves it: not
    when `python` does, whose parent is in the group as well."""
    script = f"""
    export HEADSTART_WARM_PRELOAD=json
    {HEADSTART} warm start >/dev/null || exit
    sleep 100 & neighbour=$!
    kill -STOP $neighbour
    {runner} -c 'print(1)'
    sleep 0.5  # what is beside the program ends after it
    cut -d' ' -f3 /proc/$neighbour/stat
    kill -KILL $neighbour
    """
    done = subprocess.run(["bash", "-c", script], env=place.env, capture_output=True, start_new_session=True)
    assert (done.returncode, done.stdout.split()) == (0, [b"1", b"T"]), done
