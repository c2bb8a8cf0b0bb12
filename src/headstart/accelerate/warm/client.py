"""The launcher's side: finds a server that fits, hands the run over, and stands in for the program until it
ends. Imports almost nothing: everything here is paid for by every run.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import _socket
import os
import sys

from . import contract, places, protocol
from .caller import Caller, Unsuitable
from .protocol import ELSEWHERE, EXITED, GO, KILLED, READY, SIGNAL, STOPPED, BadMessage, Frames, encode_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..program import Program

PATIENCE_SECONDS = 5.0
RING = int(signal.SIGRTMIN) + 14
_FAULTS = (
    *("SIGKILL", "SIGSTOP", "SIGPIPE", "SIGXFSZ", "SIGXCPU", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"),
    *("SIGTRAP", "SIGSYS"),
)
# All that a process may be sent, but for what cannot be held and what the kernel raises for our own acts.
_WATCHED = signal.valid_signals() - {getattr(signal, name) for name in _FAULTS}


class Attempt:
    """One try to run a program warm. `why` says, afterwards, why it was not."""

    def __init__(self, program: Program, options: Mapping[str, str]) -> None:
        self._program = program
        self._options = options
        self.why = "no server is running"
        self.changes: dict[str, str | None] = {}
        """The variables that the program itself sets before its imports, as far as a server has told."""
        self.caller: Caller | None = None
        self.seconds = self.server = ""
        """After a warm run: what its imports have taken the server, and which one."""
        self.pid = self.maxrss_kb = 0
        self.lasting = False
        """Whether a new server would not help the next run either."""

    def run(self) -> int | None:
        """The program's wait status in the form of `Popen.returncode`; None if it has not been started."""
        try:
            self.caller = Caller()
            request = self.caller.request(self._program, self._options)
        except (Unsuitable, OSError, KeyError, BadMessage, ValueError) as error:
            self.why, self.lasting = str(error) or type(error).__name__, True
            return None
        folder = places.folder(os.environ)
        if not places.usable(folder):
            return None
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
        status = self._any(folder, request)
        if status is None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        # Else we are about to leave, and what was meant for the program died with it.
        return status

    def _any(self, folder: str, request: bytes) -> int | None:
        """Try the servers of our kind: first those that had our environment. Any of them can tell whether the
        program changes it, and that may lead to another."""
        tried: set[str] = set()
        while True:
            name = self._best(folder, tried)
            if name is None:
                return None
            tried.add(name)
            status = self._try(os.path.join(folder, name + places.SOCKET), request)
            if status is not None or self.lasting:
                return status

    def _best(self, folder: str, tried: set[str]) -> str | None:
        assert self.caller is not None
        environ = {
            os.fsencode(n): os.fsencode(v) for n, v in contract.changed(os.environ, self.changes).items()
        }
        others = []
        for name in places.keys(folder):
            if name in tried:
                continue
            try:
                with open(os.path.join(folder, name + places.KEY), "rb", 0) as handle:
                    ident, wanted = contract.decode_key(handle.read())
            except (OSError, BadMessage):
                continue
            if ident != self.caller.identity:
                continue
            if not contract.differing(wanted, environ):
                return name
            others.append(name)
        return others[0] if others and not tried else None

    def _try(self, path: str, request: bytes) -> int | None:
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        try:
            sock.settimeout(PATIENCE_SECONDS)
            sock.connect(path)
            self._send(sock, request)
            frames = Frames(sock)
            frame = _next(frames)
            if frame is None or frame[0] != READY:
                self._refused(frame)
                return None
            sock.send(encode_frame(GO))
        except TimeoutError:
            self.why = "the server did not answer"
            _give_up_on(sock, path)
            return None
        except (OSError, BadMessage) as error:
            self.why = f"the server did not answer ({error})"
            return None
        # From here on the program runs, once, over there.
        self.seconds, _, where = frame[2].partition(" ")
        self.server = os.path.basename(path).partition(".")[0]
        self.pid = frame[1]
        proxy = Proxy(sock, frames, self.caller, apart=where == "apart")
        proxy.keep_errors = "verbose" in self._options or "capture" in self._options
        status = proxy.stand_in()
        self.maxrss_kb = proxy.maxrss_kb
        return status

    def _refused(self, frame: tuple[bytes, int, str] | None) -> None:
        if frame is None:
            self.why = "the server hung up"
        elif frame[0] == ELSEWHERE:
            for word in frame[2].split("\0"):
                name, equals, value = word.partition("=")
                self.changes[name] = value if equals else None
            self.why = f"no server was started with the {', '.join(self.changes)} that the program sets"
        else:
            self.why, self.lasting = frame[2], frame[1] == 1

    def _send(self, sock: _socket.socket, request: bytes) -> None:
        assert self.caller is not None
        numbers = b"".join([n.to_bytes(4, sys.byteorder) for n in self.caller.descriptors])
        rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)] if numbers else []
        sent = sock.sendmsg([request], rights)
        if sent < len(request):
            sock.sendall(request[sent:])


def _give_up_on(sock: _socket.socket, path: str) -> None:
    """A server that is stopped, or has not answered twice, is ended: it would make every run wait."""
    slow = path + places.SLOW
    try:
        data = sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        pid, uid = (int.from_bytes(data[at : at + 4], sys.byteorder) for at in (0, 4))
        with open(f"/proc/{pid}/stat", "rb", 0) as handle:
            stopped = handle.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
        if uid == os.getuid() and (stopped or os.path.exists(slow)):
            os.kill(pid, signal.SIGKILL)
            os.unlink(path)
        else:
            os.close(os.open(slow, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError:
        pass


def _next(frames: Frames) -> tuple[bytes, int, str] | None:
    """Wait for a frame."""
    while True:
        frame = frames.next()
        if frame is not None or frames.ended:
            return frame
        frames.receive()


class Proxy:
    """Stands in for the running program: passes signals on, stops when it stops, learns how it ended."""

    def __init__(self, sock: _socket.socket, frames: Frames, caller: Caller | None, apart: bool) -> None:
        self._apart = apart
        self.keep_errors = False
        """Whether we have something to say on standard error when the program has ended."""
        self.maxrss_kb = 0
        self._sock = sock
        self._frames = frames
        self._caller = caller

    def stand_in(self) -> int:
        self._let_go()
        self._sock.settimeout(0)
        ring_on_input(self._sock.fileno())
        canary = None
        if self._apart:
            from .canary import Canary

            canary = Canary(_WATCHED)
        while True:
            status = self._listen()
            if status is not None:
                if canary is not None:
                    canary.end()
                return status
            info = signal.sigwaitinfo(_WATCHED)
            if info.si_code <= 0:  # from a process, to us; what the kernel sends goes to the whole group
                group = canary is not None and canary.felt(info.si_signo)
                self._tell(encode_frame(SIGNAL, info.si_signo, "group" if group else ""))

    def _let_go(self) -> None:
        """The descriptors are the program's now: whoever waits for it to close one must not wait for us."""
        assert self._caller is not None
        null = os.open(os.devnull, os.O_RDWR)
        for number in self._caller.descriptors:
            if number != 2 or not self.keep_errors:
                os.dup2(null, number, inheritable=False)
        os.close(null)

    def _tell(self, frame: bytes) -> None:
        try:
            self._sock.send(frame)
        except OSError:
            pass

    def _listen(self) -> int | None:
        while True:
            try:
                self._frames.receive()
            except BlockingIOError:
                return None
            except OSError:
                return -int(signal.SIGKILL)
            while (frame := self._frames.next()) is not None:
                kind, number, text = frame
                if kind in (EXITED, KILLED):
                    self.maxrss_kb = int(text or 0)
                if kind == EXITED:
                    return number
                if kind == KILLED:
                    return -number
                if kind == STOPPED:
                    _stop_like(number)
            if self._frames.ended:
                # Whoever watched over the program was killed, and the program with it.
                return -int(signal.SIGKILL)


def ring_on_input(number: int) -> None:
    """Have the kernel send `RING` to this process when there is something to read: then one wait is for both,
    input and signals. A queued signal, so that none is lost; it can be told from one that a user sends."""
    import fcntl

    fcntl.fcntl(number, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(number, fcntl.F_SETSIG, RING)
    fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)


def _stop_like(number: int) -> None:
    """Stop as the program has stopped, so that a shell sees what it would have seen."""
    if number == signal.SIGSTOP:
        os.kill(os.getpid(), number)
        return
    before = signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    signal.signal(number, before)


__all__ = ["Attempt", "protocol"]
