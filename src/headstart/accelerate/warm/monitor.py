"""The process beside each warm program: its parent, forked from the server just before it.

It reads the request, so that nothing a client sends can harm the server; it joins the caller's process group,
so that the kernel delivers to the program what it delivers to the group; it learns how the program ends, even
when the server is gone by then; and it ends the program if the launcher is killed.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import time
from collections.abc import Callable
from typing import NoReturn

from . import birth
from .checks import Checks, Declined, Elsewhere
from .client import RING, ring_on_input
from .protocol import (
    DECLINED,
    ELSEWHERE,
    EXITED,
    GO,
    INFO,
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
SERVED, REFUSED, BAD, ANSWERED = 0, 3, 4, 5
_ALL = signal.valid_signals()
_GROUP_MOMENT_SECONDS = 0.01


class Monitor:
    """Serves one connection."""

    def __init__(
        self,
        sock: socket.socket,
        vault: Vault,
        path: list[str],
        checks: Checks,
        answer: Callable[[bytes], str],
    ) -> None:
        self._sock = sock
        self._vault = vault
        self._path = path
        self._checks = checks
        self._answer = answer
        """What to say to a request that is not for a run."""
        self._program = 0
        self._same_session = False

    def serve(self) -> None:
        """In a forked process of its own. Only the program comes out of here, by an exception."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _ALL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._sock.settimeout(PATIENCE_SECONDS)
        try:
            self._peer = credentials(self._sock)[0]
            request = receive(self._sock)
            if request.verb != b"run":
                self._say(INFO, 0, self._answer(request.verb))
                os._exit(ANSWERED)
            self._checks.run(request)
            line = self._fork(request)
        except Declined as error:
            self._decline(DECLINED, str(error), error.lasting)
        except Elsewhere as other:
            words = [name if value is None else f"{name}={value}" for name, value in other.changes.items()]
            self._decline(ELSEWHERE, "\0".join(words))
        except (BadMessage, OSError, ValueError) as error:
            self._say(DECLINED, 0, f"bad request: {error}")
            os._exit(BAD)
        try:
            self._start(line)
            self._watch()
        finally:
            os._exit(SERVED)

    def _decline(self, kind: bytes, text: str, lasting: bool = False) -> NoReturn:
        self._say(kind, int(lasting), text)
        os._exit(REFUSED)

    def _fork(self, request: Request) -> socket.socket:
        """Fork the program. Returns the line to it; the program itself does not return."""
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
            os._exit(REFUSED)
        self._say(READY, self._program)
        self._frames = Frames(self._sock)
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
        self._sock.setblocking(False)
        ring_on_input(self._sock.fileno())
        self._seen: dict[int, float] = {}
        while True:
            if self._reap():
                return
            self._hear()
            info = signal.sigwaitinfo(_ALL)
            if info.si_signo != signal.SIGCHLD and (info.si_signo != RING or info.si_code <= 0):
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


def credentials(sock: socket.socket) -> tuple[int, int, int]:
    """Process, user and group at the other end, as the kernel vouches for them."""
    pid, uid, gid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid, gid
