"""The warm server: imports once, then forks for every connection. It reads nothing that a client sends."""

from __future__ import annotations

import mmap
import os
import select
import signal
import socket
import sys
import time
import zlib
from collections.abc import Callable

from . import health, learned, places
from .candidate import Candidate
from .checks import Checks
from .freshness import Freshness
from .monitor import BAD, REFUSED, SERVED, Monitor
from .preload import Preload
from .processes import die_with_parent, memory_bytes
from .settings import Settings
from .vault import Vault

MOST_CONNECTIONS = 256
TICK_SECONDS = 5.0
LEARN_SECONDS = 60.0
TOO_LARGE = "it takes too much memory"
AGAIN = "there is more to import"


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
        preload: Preload,
    ) -> None:
        self._folder = folder
        self._key = key
        self._vault = vault
        self._path = path
        self._checks = checks
        self._freshness = freshness
        self._settings = settings
        self._seconds = preload.seconds
        self._attempted = preload.attempted
        self._name = str(os.getpid())
        self._children: set[int] = set()
        self._spare = 0
        self._server = os.getpid()
        # Runs served, declined, running, last used: read by those who answer for us.
        self._shared = memoryview(mmap.mmap(-1, 4096)).cast("q")
        self._born = self._used = time.monotonic()
        self._shared[3] = int(self._used * 1000)
        self._session = os.getsid(0)
        self._why = ""

    def loop(self, announced: Callable[[], object]) -> str:
        """Serve. Returns why it leaves; a forked program leaves by an exception instead."""
        self._listener = self._listen()
        self._wake, theirs = socket.socketpair()
        theirs.setblocking(False)
        self._wake.setblocking(False)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told_to_stop)
        self._notice, self._taken = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        poll = select.poll()
        for source in (self._notice, self._wake.fileno(), self._freshness.descriptor):
            if source >= 0:
                poll.register(source, select.POLLIN)
        self._announce()
        announced()
        while not self._leave():
            self._keep_spare()
            poll.poll(TICK_SECONDS * 1000)
            self._reap()
        print(f"leaving: {self._why}", file=sys.stderr, flush=True)
        self._retract()
        if self._spare:
            os.kill(self._spare, signal.SIGKILL)
        return self._why

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
        busy = len(self._children) > (1 if self._spare else 0)
        if not busy and time.monotonic() - self._used > self._settings.idle_seconds:
            self._why = self._why or "idle"
        self._why = (
            self._why
            or self._freshness.trouble()
            or self._unfit()
            or ("" if self._still_ours() else "its files are gone")
            or (AGAIN if self._settings.preload is None and self.learns() else "")
        )
        return self._why

    def _unfit(self) -> str:
        if memory_bytes() > self._settings.most_bytes:
            return TOO_LARGE
        try:
            os.kill(self._session, 0)
        except ProcessLookupError:
            if self._settings.terminal:
                return "its terminal session is over"
        except PermissionError:
            pass
        return health.fit_to_fork(self._vault.hidden)

    def learns(self) -> bool:
        """Whether it is worth starting anew: programs have imported what this server has not, and nobody is here
        now."""
        quiet = time.monotonic() - self._used > LEARN_SECONDS and len(self._children) <= 1
        return quiet and bool(set(learned.load().modules) - self._attempted)

    def _still_ours(self) -> bool:
        return os.path.exists(os.path.join(self._folder, self._name + places.SOCKET))

    def _keep_spare(self) -> None:
        """Have a process ready for the next connection."""
        if self._spare or len(self._children) >= MOST_CONNECTIONS:
            return
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            print(f"cannot fork: {error}", file=sys.stderr, flush=True)
            return
        if pid:
            self._spare = pid
            self._children.add(pid)
        else:
            self._stand_by(server)

    def _stand_by(self, server: int) -> None:
        """In the process ahead of the next run: fork once more, one to become the program, one to watch it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        die_with_parent(server)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        watcher = os.getpid()
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            ours.close()
            taken = b"%d\n" % watcher
            Candidate(self._vault, self._path, self._checks, self._answer).wait(
                self._listener, theirs, watcher, lambda: os.write(self._taken, taken)
            )
        line = os.dup2(ours.fileno(), 3)
        os.closerange(4, 1 << 10)
        status = BAD
        try:
            status = Monitor(socket.socket(fileno=line), pid, self._seconds).serve()
        finally:
            os._exit(status)

    def _reap(self) -> None:
        """Hear of connections that were taken, and of processes that have ended."""
        drain(self._wake.fileno())
        for word in drain(self._notice).split():
            if int(word) == self._spare:
                self._spare = 0
                self._used = time.monotonic()
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            self._children.discard(pid)
            if pid == self._spare:
                self._spare = 0
            code = os.waitstatus_to_exitcode(status)
            if code == SERVED:
                self._shared[0] += 1
            elif code == REFUSED:
                self._shared[1] += 1
            self._used = time.monotonic()
        self._shared[2] = len(self._children) - (1 if self._spare else 0)
        self._shared[3] = int(self._used * 1000)

    def _answer(self, verb: bytes) -> str:
        """What a client may ask, answered in a process of its own."""
        if verb == b"stop":
            os.kill(self._server, signal.SIGTERM)
            return "stopping"
        now = time.monotonic()
        runs, declined, running, used = self._shared[:4]
        facts = {
            "pid": self._server,
            "key": f"{zlib.crc32(self._key):08x}",
            "age_seconds": round(now - self._born, 1),
            "idle_seconds": round(now - used / 1000, 1),
            "memory_bytes": memory_bytes(self._server),
            "runs": runs,
            "declined": declined,
            "running": max(running - 1, 0),  # but for the process that answers
            "import_seconds": round(self._seconds, 3),
            "saved_seconds": round(self._seconds * runs, 1),
            "modules": len(self._vault.hidden),
            "terminal": self._settings.terminal or "none",
            "executable": sys.executable,
        }
        return "\n".join(f"{name}={value}" for name, value in facts.items())


def drain(descriptor: int) -> bytes:
    """All that there is to read, without waiting."""
    parts = []
    try:
        while data := os.read(descriptor, 4096):
            parts.append(data)
    except BlockingIOError:
        pass
    return b"".join(parts)
