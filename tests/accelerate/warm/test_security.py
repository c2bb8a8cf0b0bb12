"""Who may do what: the folder, the socket, other users, and what one run leaves for the next."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headstart.accelerate.warm import learned, places, protocol

from .conftest import Place, request_to_run

ROOT = pytest.mark.skipif(os.getuid() != 0, reason="needs root to become another user")
OTHER = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_reach_it(shared: Place) -> None:
    assert mode(shared.sockets) == 0o700
    for path in shared.sockets.iterdir():
        assert mode(path) == 0o600, path


@pytest.mark.parametrize("rights", [0o755, 0o770, 0o701])
def test_a_folder_that_others_can_enter_is_not_used(rights: int, tmp_path: Path) -> None:
    folder = tmp_path / "warm"
    folder.mkdir()
    folder.chmod(rights)
    assert not places.usable(str(folder))
    with pytest.raises(PermissionError):
        places.prepare(str(folder))


def test_a_link_to_a_folder_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "warm").symlink_to(tmp_path / "real")
    assert not places.usable(str(tmp_path / "warm"))


@ROOT
def test_a_folder_of_another_user_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "warm"
    folder.mkdir(mode=0o700)
    os.chown(folder, OTHER, OTHER)
    assert not places.usable(str(folder))


@pytest.fixture
def reachable(open_folder: Path) -> Iterator[Place]:
    made = Place(open_folder)
    yield made
    made.stop()


@ROOT
def test_another_user_is_not_served(reachable: Place) -> None:
    """Even one who could reach the socket: the kernel says who is at the other end."""
    reachable.start()
    path = next(reachable.sockets.glob("*.sock"))
    for opened in (path, path.parent, reachable.folder):
        opened.chmod(0o777)
    (reachable.folder / "probe").touch()

    def as_other(code: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["/usr/bin/env", "python3", "-c", code, *words],
            user=OTHER,
            group=OTHER,
            extra_groups=[],
            cwd="/",
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            timeout=60,
        )

    if as_other("import sys; open(sys.argv[1])", str(reachable.folder / "probe")).returncode:
        pytest.skip("the other user has no Python, or cannot reach the folder for temporary files")
    fields = [b"stop", *[b""] * (protocol.FIELDS - 1)]
    code = (
        "import socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(sys.argv[1])\n"
        "try:\n    s.sendall(bytes.fromhex(sys.argv[2])); print(s.recv(100))\n"
        "except (BrokenPipeError, ConnectionResetError):\n    print(b'')\n"
    )
    done = as_other(code, str(path), protocol.encode_request(fields).hex())
    for opened in (path.parent, reachable.folder):
        opened.chmod(0o700)
    assert done.stdout == b"b''\n", done
    assert reachable.servers()


def test_nothing_of_one_run_is_left_for_the_next(place: Place) -> None:
    """Not in the environment, not in what the kernel shows, not in the memory of the server."""
    pid = place.start(MY_PASSWORD="in-the-starter-71f0")
    secret = "very-secret-93b1"
    assert place.warm("-c", "import os; print(os.environ['API_TOKEN'])", env={"API_TOKEN": secret}).stdout
    code = "import os; print('API_TOKEN' in os.environ, os.getenv('API_TOKEN'), os.popen('env').read())"
    after = place.warm("-c", code).stdout.decode()
    assert after.startswith("False None ")
    assert secret not in after
    for text in (secret, "in-the-starter-71f0"):
        assert text.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
        assert not found_in_memory(pid, text.encode())
    for path in place.folder.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes()


def found_in_memory(pid: int, needle: bytes) -> bool:
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            where, rights, _, _, inode, *_ = line.split()
            if not rights.startswith("rw") or inode != "0":
                continue
            begin, end = (int(part, 16) for part in where.split("-"))
            try:
                memory.seek(begin)
                if needle in memory.read(end - begin):
                    return True
            except (OSError, ValueError, OverflowError):
                continue
    return False


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [("WANDB_API_KEY", True), ("HF_TOKEN", True), ("DB_PASSWORD", True), ("HOME", False), ("TMPDIR", False)],
)
def test_secrets_are_known_by_their_names(name: str, is_secret: bool) -> None:
    assert learned.secret(name) is is_secret


def test_descriptors_of_the_server_do_not_reach_the_program(shared: Place) -> None:
    code = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    assert (
        shared.warm("-c", code).stdout
        == subprocess.run([sys.executable, "-c", code], capture_output=True, stdin=subprocess.DEVNULL).stdout
    )


def test_the_seeds_and_keys_of_programs_are_their_own(shared: Place) -> None:
    code = (
        "import random, uuid, secrets, tempfile, multiprocessing as m\n"
        "print(random.random(), uuid.uuid4(), secrets.token_hex(4), tempfile.mktemp(), m.current_process().authkey.hex())"
    )
    runs = [shared.warm("-c", code).stdout.split() for _ in range(3)]
    for column in zip(*runs, strict=True):
        assert len(set(column)) == 3, column


def test_a_request_for_another_kind_of_caller_is_declined(shared: Place) -> None:
    """The rights of the caller are compared as bytes: nothing that looks almost like ours is run."""
    fields = request_to_run(rights=b"other")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(30)
        sock.connect(str(next(shared.sockets.glob("*.sock"))))
        sock.sendall(protocol.encode_request(fields))
        assert sock.recv(4096)[:1] == protocol.DECLINED
