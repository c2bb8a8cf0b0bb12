"""Whatever dies, hangs or talks nonsense: each run ends correctly or with a clear status, and nothing is left."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from headstart.accelerate.warm import protocol

from .conftest import HEADSTART, Place, request_to_run, wait_until

# Takes so many seconds, says what it did, and leaves a trace if it ran twice.
WORK = """
import sys, time
with open(sys.argv[1], "a") as trace:
    trace.write("begun\\n")
time.sleep(float(sys.argv[2]))
print("done")
sys.exit(3)
"""
SHORT, FOREVER = 0.1, 3600.0
QUICK, WHOLE = 6, 100


def moments(count: int, within: float) -> list[float]:
    draw = random.Random(count)
    return [draw.uniform(0, within) for _ in range(count)]


def begin(place: Place, folder: Path, seconds: float) -> subprocess.Popen[bytes]:
    (folder / "work.py").write_text(WORK)
    return subprocess.Popen(
        [HEADSTART, "run", "work.py", "trace", str(seconds)],
        cwd=folder,
        env={**place.env, "HEADSTART_WARM_PRELOAD": "json"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def check_server_killed(place: Place, folder: Path, delay: float) -> None:
    """The run ends as it always does, warm or cold, and has happened once."""
    pid = place.start()
    process = begin(place, folder, SHORT)
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (3, b"done\n", b"")
    assert (folder / "trace").read_text() == "begun\n"


def check_launcher_killed(place: Place, folder: Path, delay: float) -> None:
    """The program ends with its launcher, and the server serves on."""
    place.start()
    process = begin(place, folder, FOREVER)
    time.sleep(delay)
    process.kill()
    assert process.communicate(timeout=60)[0] == b""
    assert place.warm("-c", "print(1)").stdout == b"1\n"
    # One server, and the pair that it keeps ready: nothing of the killed run.
    wait_until(lambda: len(place.processes()) <= 3)


def test_what_is_killed_here_is_warm(place: Place, tmp_path: Path) -> None:
    """Else the tests below would be about cold runs."""
    place.start()
    begin(place, tmp_path, 0).communicate(timeout=60)
    assert [int(server["runs"]) for server in place.servers()] == [1]


@pytest.mark.parametrize("delay", moments(QUICK, 0.25))
def test_server_killed(delay: float, place: Place, tmp_path: Path) -> None:
    check_server_killed(place, tmp_path, delay)


@pytest.mark.parametrize("delay", moments(QUICK, 0.25))
def test_launcher_killed(delay: float, place: Place, tmp_path: Path) -> None:
    check_launcher_killed(place, tmp_path, delay)


@pytest.mark.soak
@pytest.mark.parametrize("delay", moments(WHOLE, 0.3))
def test_server_killed_soak(delay: float, place: Place, tmp_path: Path) -> None:
    check_server_killed(place, tmp_path, delay)


@pytest.mark.soak
@pytest.mark.parametrize("delay", moments(WHOLE, 0.3))
def test_launcher_killed_soak(delay: float, place: Place, tmp_path: Path) -> None:
    check_launcher_killed(place, tmp_path, delay)


def test_the_watching_process_killed(place: Place) -> None:
    """Nobody could say how the program ends: it is ended, and the launcher says that it was killed."""
    place.start()
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    process = subprocess.Popen(
        [HEADSTART, "run", "--only-warm", "-c", code],
        env=place.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    program = int(process.stdout.readline())
    # The kernel's word on its parent; the program's own is about the launcher.
    watcher = int(Path(f"/proc/{program}/stat").read_text().rpartition(")")[2].split()[1])
    assert watcher in place.processes()
    os.kill(watcher, signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    wait_until(lambda: not os.path.exists(f"/proc/{program}"))


def nonsense(draw: random.Random) -> bytes:
    """Garbage, halves of real messages, and real ones with lies in them."""
    fields = request_to_run(environ=b"A=1\0")
    kind = draw.randrange(5)
    if kind == 0:
        return draw.randbytes(draw.randrange(400))
    if kind == 1:
        fields[draw.randrange(len(fields))] = draw.randbytes(draw.randrange(60))
    whole = protocol.encode_request(fields)
    if kind == 2:
        return whole[: draw.randrange(len(whole))]
    if kind == 3:
        at = draw.randrange(len(whole))
        return whole[:at] + draw.randbytes(1) + whole[at + 1 :]
    return whole + draw.randbytes(draw.randrange(20))


def pester(place: Place, count: int) -> None:
    """Connect and send nonsense; whoever answers must decline, and the server must live."""
    pid = place.start()
    path = str(next(place.sockets.glob("*.sock")))
    draw = random.Random(count)
    for _ in range(count):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(30)
            sock.connect(path)
            try:
                sock.sendall(nonsense(draw))
                sock.shutdown(socket.SHUT_WR)
                answer = sock.recv(4096)
            except (BrokenPipeError, ConnectionResetError):
                answer = b""
        assert answer[:1] in (b"", protocol.DECLINED, protocol.INFO)
    assert os.path.exists(f"/proc/{pid}")
    assert place.warm("-c", "print(1)").stdout == b"1\n"
    wait_until(lambda: len(place.processes()) <= 3)


def test_nonsense(place: Place) -> None:
    pester(place, 150)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_nonsense_soak(place: Place) -> None:
    pester(place, 10_000)


def test_silent_clients_do_not_keep_others_out(place: Place) -> None:
    place.start()
    path = str(next(place.sockets.glob("*.sock")))
    silent = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    for sock in silent:
        sock.connect(path)
    assert place.warm("-c", "print(1)").stdout == b"1\n"
    for sock in silent:
        sock.close()
    wait_until(lambda: len(place.processes()) <= 3)


def test_nowhere_to_keep_anything(tmp_path: Path) -> None:
    """A folder that cannot be made: the program runs, cold."""
    place = Place(tmp_path / "file" / "cache")
    (tmp_path / "file").write_text("in the way")
    try:
        done = place.run("-c", "print(1)")
        assert (done.returncode, done.stdout) == (0, b"1\n")
    finally:
        place.stop()  # it had a folder for its socket


def test_full_disk(place: Place) -> None:
    """No byte can be written: neither the launcher nor a program that it runs notices."""
    shell = f"ulimit -f 0; exec {HEADSTART} run -c 'print(1)'"
    done = subprocess.run(["/bin/sh", "-c", shell], env=place.env, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"1\n")


def test_a_dead_socket(place: Place) -> None:
    """What a killed server leaves behind does not lead anybody astray."""
    pid = place.start()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not place.processes())
    assert list(place.sockets.glob("*.sock"))
    done = place.run("-c", "print(1)", env={"HEADSTART_WARM_PRELOAD": "json"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1\n", b"")
