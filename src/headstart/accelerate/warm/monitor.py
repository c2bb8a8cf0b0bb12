"""The process beside each warm program: its parent, forked from the server just before it.

It reads the request, so that nothing a client sends can harm the server; it joins the caller's process group,
so that the kernel delivers to the program what it delivers to the group; it learns how the program ends, even
when the server is gone by then; and it ends the program if the launcher is killed.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import struct
import time
from collections.abc import Callable

from . import birth
from .protocol import (
    DECLINED,
    EXITED,
    GO,
    KILLED,
    READY,
    SIGNAL,
    STOPPED,
    BadMessage,
    Frames,
    encode_frame,
)
from .request import Request, receive
from .vault import Vault

PATIENCE_SECONDS = 10.0
# How a monitor ends, for the server to count.
SERVED, DECLINED_STATUS, BAD = 0, 3, 4
_ALL = signal.valid_signals()
_GROUP_MOMENT_SECONDS = 0.01


class Declined(Exception):
    """This server cannot run this program; the text says why."""


class Monitor:
    """Serves one connection."""

    def __init__(
        self, sock: socket.socket, vault: Vault, path: list[str], checks: list[Callable[[Request], None]]
    ):
        self._sock = sock
        self._vault = vault
        self._path = path
        self._checks = checks
        self._program = 0
        self._same_session = False

    def serve(self) -> None:
        """In a forked process of its own. Only the program comes out of here."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _ALL)
        self._sock.settimeout(PATIENCE_SECONDS)
        try:
            request = receive(self._sock)
            self._peer = _credentials(self._sock)[0]
            for check in self._checks:
                check(request)
            line = self._fork(request)
        except Declined as error:
            self._say(DECLINED, 0, str(error))
            os._exit(DECLINED_STATUS)
        except (BadMessage, OSError) as error:
            self._say(DECLINED, 0, f"bad request: {error}")
            os._exit(BAD)
        if line is None:
            return
        try:
            self._start(line)
            self._watch()
        finally:
            os._exit(SERVED)

    def _fork(self, request: Request) -> socket.socket | None:
        """Fork the program; None in the program itself."""
        self._join_group(request)
        ours, theirs = socket.socketpair()
        watcher = os.getpid()
        self._program = os.fork()
        if self._program == 0:
            birth.die_with_parent(watcher)
            birth.become(request, self._vault, self._path, theirs.fileno())
        theirs.close()
        for number in request.descriptors.values():
            os.close(number)
        return ours

    def _join_group(self, request: Request) -> None:
        """Be where the caller is, as far as the kernel allows: groups do not cross sessions."""
        self._same_session = os.getsid(self._peer) == os.getsid(0)
        if self._same_session:
            os.setpgid(0, os.getpgid(self._peer))
        else:
            os.setpgid(0, 0)

    def _start(self, line: socket.socket) -> None:
        line.settimeout(PATIENCE_SECONDS)
        try:
            word = line.recv(4096)
        except OSError:
            word = b""
        if word != b"R":
            self._say(DECLINED, 0, f"the program could not be set up: {word.decode(errors='replace')}")
            self._kill()
            os._exit(DECLINED_STATUS)
        self._say(READY, self._program)
        self._frames = Frames(self._sock)  # type: ignore[arg-type]
        try:
            while (frame := self._frames.next()) is None and not self._frames.ended:
                self._frames.receive()
        except (OSError, BadMessage):
            frame = None
        if frame is None or frame[0] != GO:
            self._kill()
            os._exit(BAD)
        line.send(b"G")
        line.close()

    def _kill(self) -> None:
        try:
            os.kill(self._program, signal.SIGKILL)
            os.waitpid(self._program, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def _watch(self) -> None:
        """Until the program ends: pass on what the launcher says, and tell it what happens."""
        number = self._sock.fileno()
        fcntl.fcntl(number, fcntl.F_SETOWN, os.getpid())
        self._sock.setblocking(False)
        fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_ASYNC)
        self._seen: dict[int, float] = {}
        while True:
            if self._reap():
                return
            self._hear()
            info = signal.sigwaitinfo(_ALL)
            if info.si_signo not in (signal.SIGCHLD, signal.SIGIO):
                self._seen[info.si_signo] = time.monotonic()

    def _reap(self) -> bool:
        while True:
            pid, status = os.waitpid(self._program, os.WNOHANG | os.WUNTRACED)
            if pid == 0:
                return False
            if os.WIFSTOPPED(status):
                self._say(STOPPED, os.WSTOPSIG(status))
                continue
            if os.WIFSIGNALED(status):
                self._say(KILLED, os.WTERMSIG(status))
            else:
                self._say(EXITED, os.WEXITSTATUS(status))
            return True

    def _hear(self) -> None:
        while True:
            try:
                self._frames.receive()
            except BlockingIOError:
                return
            except OSError:
                self._frames.ended = True
            while (frame := self._frames.next()) is not None:
                if frame[0] == SIGNAL and frame[1] in _ALL:
                    self._pass_on(frame[1])
            if self._frames.ended:
                # The launcher was killed. So is, then, the program.
                self._kill_all()
                os._exit(SERVED)

    def _kill_all(self) -> None:
        self._kill()
        if not self._same_session:
            # The group is the program's own; whoever kills the launcher's whole group means its children too.
            try:
                os.killpg(0, signal.SIGKILL)
            except OSError:
                pass

    def _pass_on(self, number: int) -> None:
        """Send on what was sent to the launcher alone: what its whole group was sent has reached us too."""
        if self._same_session:
            info = signal.sigtimedwait({number}, _GROUP_MOMENT_SECONDS)
            if info is not None or time.monotonic() - self._seen.get(number, -1e9) < 0.1:
                self._seen.pop(number, None)
                return
        if number == signal.SIGCONT and not self._stopped():
            return
        try:
            os.kill(self._program, number)
        except ProcessLookupError:
            pass

    def _stopped(self) -> bool:
        try:
            with open(f"/proc/{self._program}/stat", "rb") as handle:
                return handle.read().rpartition(b")")[2].split()[0] == b"T"
        except OSError:
            return True

    def _say(self, kind: bytes, number: int = 0, text: str = "") -> None:
        try:
            self._sock.sendall(encode_frame(kind, number, text))
        except OSError:
            pass


def _credentials(sock: socket.socket) -> tuple[int, int, int]:
    """Process, user and group at the other end, as the kernel vouches for them."""
    pid, uid, gid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid, gid
