"""The warm server: imports once, then forks for every connection. It reads nothing that a client sends."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import time
from typing import Any

from . import contract, places, stdio
from .effects import Effects
from .graph import Graph
from .monitor import Monitor, _credentials
from .output import Capture
from .refresh import REFRESHERS
from .vault import Vault

PRELOAD = ("numpy", "tensorflow", "keras")
MOST_AT_ONCE = 64
TICK_SECONDS = 5.0


def main(baseline: list[str], folder: str) -> None:
    """The whole life of a server. A forked program leaves it by an exception."""
    stdio.remember()
    started = time.monotonic()
    wanted = os.environ.pop("HEADSTART_WARM_PRELOAD", ",".join(PRELOAD)).split(",")
    output = Capture()
    effects = Effects(output)
    graph = Graph(effects.look)
    effects.start()
    graph.start()
    for name in wanted:
        try:
            if name:
                __import__(name)
        except ImportError:
            pass
    graph.stop()
    effects.stop()
    status = contract.read_status()
    ident = contract.identity(status, contract.terminal_of_session())
    path = list(sys.path)
    needed = dict(graph.needs)
    vault = Vault(baseline, needed)
    vault.add_effects(effects.found)
    vault.refreshers = dict(REFRESHERS)
    places.prepare(folder)
    log = os.open(
        os.path.join(folder, f"{os.getpid()}{places.LOG}"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600
    )
    output.close(log)
    gc.collect()
    gc.freeze()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    env: dict[str, str | None] = {**effects.reads, **contract.keyed(dict(os.environ))}
    Server(folder, vault, path, contract.encode_key(ident, env), time.monotonic() - started).loop()


class Server:
    def __init__(self, folder: str, vault: Vault, path: list[str], key: bytes, took: float) -> None:
        self._folder = folder
        self._vault = vault
        self._path = path
        self._name = f"{os.getpid()}"
        self._key = key
        self._children: set[int] = set()
        self._took = took

    def loop(self) -> None:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        where = os.path.join(self._folder, self._name + places.SOCKET)
        os.umask(0o177)
        sock.bind(where)
        sock.listen(128)
        sock.setblocking(False)
        with open(os.path.join(self._folder, self._name + places.KEY + "~"), "wb") as handle:
            handle.write(self._key)
        os.rename(handle.name, handle.name[:-1])
        while True:
            select.select([sock], [], [], TICK_SECONDS)
            try:
                connection, _ = sock.accept()
            except BlockingIOError:
                self._reap()
                continue
            if _credentials(connection)[1] != os.getuid():
                connection.close()
                continue
            self._reap()
            pid = os.fork()
            if pid == 0:
                sock.close()
                Monitor(connection, self._vault, self._path, []).serve()
                return
            self._children.add(pid)
            connection.close()

    def _reap(self) -> None:
        while self._children:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._children.discard(pid)


def _unused(*_: Any) -> None:
    signal.SIGINT  # noqa: B018
