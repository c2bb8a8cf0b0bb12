"""The warm server: imports once, then forks for every connection. It reads nothing that a client sends."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time
import zlib

from . import health, places
from .checks import Checks
from .freshness import Freshness
from .monitor import ANSWERED, REFUSED, SERVED, Monitor, credentials
from .settings import Settings
from .vault import Vault

MOST_CONNECTIONS = 256
TICK_SECONDS = 5.0


class Server:
    """One listening socket, until there is a reason to leave."""

    def __init__(
        self,
        folder: str,
        key: bytes,
        vault: Vault,
        path: list[str],
        checks: Checks,
        freshness: Freshness,
        settings: Settings,
        seconds: float,
    ) -> None:
        self._folder = folder
        self._key = key
        self._vault = vault
        self._path = path
        self._checks = checks
        self._freshness = freshness
        self._settings = settings
        self._seconds = seconds
        self._name = str(os.getpid())
        self._children: set[int] = set()
        self._counts = {SERVED: 0, REFUSED: 0}
        self._born = self._used = time.monotonic()
        self._session = os.getsid(0)
        self._why = ""

    def loop(self) -> None:
        """Serve. Returns when it is time to leave; a forked program leaves by an exception instead."""
        listener = self._listen()
        self._wake, theirs = socket.socketpair()
        theirs.setblocking(False)
        self._wake.setblocking(False)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told_to_stop)
        poll = select.poll()
        for source in (listener, self._wake, self._freshness.descriptor):
            if not isinstance(source, int) or source >= 0:
                poll.register(source, select.POLLIN)
        self._announce()
        while not self._leave():
            poll.poll(TICK_SECONDS * 1000)
            self._reap()
            self._accept(listener)
        self._retract()

    def _listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        where = os.path.join(self._folder, self._name + places.SOCKET)
        before = os.umask(0o177)
        try:
            listener.bind(where)
        finally:
            os.umask(before)
        listener.listen(128)
        listener.setblocking(False)
        return listener

    def _announce(self) -> None:
        path = os.path.join(self._folder, self._name + places.KEY)
        descriptor = os.open(path + "~", os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, self._key)
        finally:
            os.close(descriptor)
        os.rename(path + "~", path)

    def _retract(self) -> None:
        for suffix in (places.KEY, places.SOCKET):
            try:
                os.unlink(os.path.join(self._folder, self._name + suffix))
            except OSError:
                pass

    def _told_to_stop(self, number: int, frame: object) -> None:
        self._why = signal.Signals(number).name

    def _leave(self) -> str:
        """Why it is time to leave; empty to stay."""
        now = time.monotonic()
        if not self._why and now - self._used > self._settings.idle_seconds and not self._children:
            self._why = "idle"
        self._why = (
            self._why
            or self._freshness.trouble()
            or self._unfit()
            or ("" if self._still_ours() else "its files are gone")
        )
        return self._why

    def _unfit(self) -> str:
        if memory_bytes() > self._settings.most_bytes:
            return "it takes too much memory"
        try:
            os.kill(self._session, 0)
        except ProcessLookupError:
            if self._settings.terminal:
                return "its terminal session is over"
        except PermissionError:
            pass
        return health.fit_to_fork(self._vault.hidden)

    def _still_ours(self) -> bool:
        return os.path.exists(os.path.join(self._folder, self._name + places.SOCKET))

    def _reap(self) -> None:
        try:
            while self._wake.recv(4096):
                pass
        except BlockingIOError:
            pass
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._children.discard(pid)
            code = os.waitstatus_to_exitcode(status)
            if code in self._counts:
                self._counts[code] += 1
            if code != ANSWERED:
                self._used = time.monotonic()

    def _accept(self, listener: socket.socket) -> None:
        """Fork for one connection. What arrives on it is read over there."""
        try:
            connection, _ = listener.accept()
        except (BlockingIOError, ConnectionError):
            return
        except OSError as error:  # out of descriptors: the client will go cold
            print(f"cannot accept: {error}", file=sys.stderr, flush=True)
            time.sleep(0.05)
            return
        with connection:
            if credentials(connection)[1] != os.getuid() or len(self._children) >= MOST_CONNECTIONS:
                return
            if self._freshness.trouble() or health.fit_to_fork(self._vault.hidden):
                return  # the loop will leave for that
            try:
                pid = os.fork()
            except OSError as error:
                print(f"cannot fork: {error}", file=sys.stderr, flush=True)
                return
            if pid:
                self._children.add(pid)
                return
            signal.set_wakeup_fd(-1)
            listener.close()
            connection = connection.dup()
        Monitor(connection, self._vault, self._path, self._checks, self._answer).serve()

    def _answer(self, verb: bytes) -> str:
        """What a client may ask, answered in a process of its own."""
        if verb == b"stop":
            os.kill(os.getppid(), signal.SIGTERM)
            return "stopping"
        now = time.monotonic()
        facts = {
            "pid": os.getppid(),
            "key": f"{zlib.crc32(self._key):08x}",
            "age_seconds": round(now - self._born, 1),
            "idle_seconds": round(now - self._used, 1),
            "memory_bytes": memory_bytes(os.getppid()),
            "runs": self._counts[SERVED],
            "declined": self._counts[REFUSED],
            "running": max(len(self._children), 0),
            "import_seconds": round(self._seconds, 3),
            "saved_seconds": round(self._seconds * self._counts[SERVED], 1),
            "modules": len(self._vault.hidden),
            "terminal": self._settings.terminal or "none",
            "executable": sys.executable,
        }
        return "\n".join(f"{name}={value}" for name, value in facts.items())


def memory_bytes(pid: int | str = "self") -> int:
    """What this process has of its own: the pages that nobody shares with it."""
    with open(f"/proc/{pid}/statm", "rb") as handle:
        _, resident, shared, *_ = handle.read().split()
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
