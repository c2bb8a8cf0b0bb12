"""Servers for tests: each test, or module, has a folder of its own and leaves nothing running."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from headstart.accelerate.warm import protocol

HEADSTART = str(Path(sys.executable).with_name("headstart"))
# Little, so that most tests need no TensorFlow.
SMALL = "json,decimal,random,logging,threading,multiprocessing.pool,concurrent.futures,asyncio"
LIMIT_SECONDS = 60.0

Run = subprocess.CompletedProcess[bytes]


class Place:
    """A cache folder with the servers in it."""

    def __init__(self, folder: Path, preload: str | None = SMALL) -> None:
        self.folder = folder
        self.preload = preload
        self.env = {
            key: value for key, value in os.environ.items() if not key.startswith(("HEADSTART", "PYTEST"))
        }
        self.env["HEADSTART_CACHE_DIR"] = str(folder)
        self.env["PYTHONUNBUFFERED"] = "1"

    @property
    def sockets(self) -> Path:
        return self.folder / "warm"

    def headstart(self, *words: str, env: Mapping[str, str] | None = None, **options: Any) -> Run:
        options = {"capture_output": True, "timeout": LIMIT_SECONDS, "stdin": subprocess.DEVNULL} | options
        return subprocess.run([HEADSTART, *words], env={**self.env, **(env or {})}, **options)

    def start(self, **env: str) -> int:
        """Start a server for this environment; returns its process."""
        preload = {"HEADSTART_WARM_PRELOAD": self.preload} if self.preload is not None else {}
        before = {server["pid"] for server in self.servers()}
        done = self.headstart("warm", "start", env={**preload, **env}, timeout=180)
        assert done.returncode == 0, done.stderr
        return next(
            (int(s["pid"]) for s in self.servers() if s["pid"] not in before), int(self.servers()[0]["pid"])
        )

    def servers(self) -> list[dict[str, str]]:
        done = self.headstart("warm", "status", "--json")
        assert done.returncode == 0, done.stderr
        found: list[dict[str, str]] = json.loads(done.stdout)
        return found

    def warm(self, *words: str, **options: Any) -> Run:
        """Run warm, and only warm."""
        return self.headstart("run", "--only-warm", *words, **options)

    def run(self, *words: str, **options: Any) -> Run:
        return self.headstart("run", *words, **options)

    def stop(self) -> None:
        """Also those that are still on their way up."""

        def none_left() -> bool:
            self.headstart("warm", "stop")
            return not self.processes()

        wait_until(none_left)

    def processes(self) -> list[int]:
        """All processes of servers of this place: servers, and those that they have forked ahead. By the environment:
        where the folder cannot be made, their sockets are elsewhere."""
        found = []
        mine = f"HEADSTART_CACHE_DIR={self.folder}".encode()
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    words, environ = (
                        Path(f"/proc/{name}/{file}").read_bytes().split(b"\0")
                        for file in ("cmdline", "environ")
                    )
                except OSError:
                    continue
                here = str(self.sockets).encode() in words or mine in environ
                if here and any(word.endswith(b"enter.py") for word in words):
                    found.append(int(name))
        return found


def request_to_run(rights: bytes = b"", environ: bytes = b"") -> list[bytes]:
    """The fields of a request to run `-c pass`."""
    return [b"run", rights, protocol.pack([b"code", b"pass", b"-c", b"pass"]), environ, b"/", *[b""] * 4]


def wait_until(condition: Any, seconds: float = LIMIT_SECONDS) -> None:
    """Wait for something that happens in another process; a failure, not a pause, if it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path / "cache")
    yield found
    found.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A place with one small server, for tests that do it no harm."""
    found = Place(tmp_path_factory.mktemp("shared") / "cache")
    found.start()
    yield found
    found.stop()


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def words(*parts: str | Sequence[str]) -> list[str]:
    return [word for part in parts for word in ([part] if isinstance(part, str) else part)]
