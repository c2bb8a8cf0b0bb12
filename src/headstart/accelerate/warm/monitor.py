"""The process beside each warm program: its parent.

It learns how the program ends, even when the server is gone by then; it is in the caller's process group, so it
knows what the kernel has delivered to the whole group; it passes on what the launcher alone was sent; and it
ends the program if the launcher is killed.
"""

from __future__ import annotations

import os
import signal
import socket
import time

from .client import RING, ring_on_input
from .processes import die_with_parent, join_group, leave_group, state_of
from .protocol import DECLINED, EXITED, GO, KILLED, READY, SIGNAL, STOPPED, BadMessage, Frames, encode_frame

PATIENCE_SECONDS = 10.0
# How a monitor ends, for the server to count.
SERVED, REFUSED, BAD, ANSWERED = 0, 3, 4, 5
_ALL = signal.valid_signals()
_GROUP_MOMENT_SECONDS = 0.01
_RECENT_SECONDS = 0.1
_LOOK_SECONDS = 0.25


class Monitor:
    """Watches over one process that will become a program. `line` leads to it."""

    def __init__(self, line: socket.socket, program: int, seconds: float) -> None:
        self._line = line
        self._program = program
        self._seconds = seconds
        """What the imports have taken the server."""
        self._sock: socket.socket
        self._same_session = False
        self._seen: dict[int, float] = {}
        self._launcher = 0
        self._held = False
        """Whether the program is stopped because the launcher is."""

    def serve(self) -> int:
        """From before there is a connection to after the program's end. Returns how it went."""
        connection, caller = self._connection()
        if connection is None:
            return self._told_why()
        self._sock = connection
        die_with_parent(None)  # from here on, the server may go
        self._launcher = caller
        self._same_session = join_group(caller)
        self._frames = Frames(self._sock)
        try:
            if not self._start():
                self._kill()
                return REFUSED
            self._watch()
        except BadMessage:
            self._kill()
            return BAD
        finally:
            leave_group()
        return SERVED

    def _connection(self) -> tuple[socket.socket | None, int]:
        """Wait until the other side has accepted somebody and found that it can run what they want."""
        word, descriptors, _, _ = socket.recv_fds(self._line, 64, 1)
        self._word = word
        if not descriptors:
            return None, 0
        return socket.socket(fileno=descriptors[0]), int(word)

    def _told_why(self) -> int:
        return int(self._word) if self._word.isdigit() else BAD

    def _start(self) -> bool:
        """The program stands ready; it starts when the launcher says so, and only then."""
        self._line.settimeout(PATIENCE_SECONDS)
        self._sock.settimeout(PATIENCE_SECONDS)
        try:
            word = self._line.recv(4096)
            if word != b"R":
                self._say(DECLINED, 0, f"the program could not be set up: {word.decode(errors='replace')}")
                return False
            self._say(
                READY, self._program, f"{self._seconds:.3f} {'here' if self._same_session else 'apart'}"
            )
            while (frame := self._frames.next()) is None and not self._frames.ended:
                self._frames.receive()
            if frame is None or frame[0] != GO:
                return False
            self._line.send(b"G")
        except OSError:
            return False
        self._line.close()
        return True

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
        while True:
            if self._reap():
                return
            if not self._hear():
                return self._kill_all()
            info = signal.sigtimedwait(_ALL, _LOOK_SECONDS)
            if info is None:
                self._follow_launcher()
            elif info.si_signo != signal.SIGCHLD and (info.si_signo != RING or info.si_code <= 0):
                self._seen[info.si_signo] = time.monotonic()

    def _reap(self) -> bool:
        """Whether the program has ended."""
        while True:
            pid, status, usage = os.wait4(self._program, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
            if pid == 0:
                return False
            if os.WIFSTOPPED(status):
                if not self._held:
                    self._say(STOPPED, os.WSTOPSIG(status))
            elif os.WIFCONTINUED(status):
                self._wake_launcher()
            else:
                leave_group()  # before the launcher can end, which then is the last of the two, as always
                if os.WIFSIGNALED(status):
                    self._say(KILLED, os.WTERMSIG(status), str(usage.ru_maxrss))
                else:
                    self._say(EXITED, os.WEXITSTATUS(status), str(usage.ru_maxrss))
                return True

    def _wake_launcher(self) -> None:
        """Somebody has continued the program alone: the launcher, stopped with it, goes on with it."""
        if state_of(self._launcher) == "T":
            os.kill(self._launcher, signal.SIGCONT)

    def _follow_launcher(self) -> None:
        """SIGSTOP cannot be seen by who gets it: look whether the launcher has been stopped, or continued."""
        stopped = state_of(self._launcher) == "T"
        if stopped and not self._held and state_of(self._program) != "T":
            self._held = True
            os.kill(self._program, signal.SIGSTOP)
        elif self._held and not stopped:
            self._held = False
            os.kill(self._program, signal.SIGCONT)

    def _hear(self) -> bool:
        """Read what there is; False if the launcher is gone."""
        while True:
            try:
                self._frames.receive()
            except BlockingIOError:
                return True
            except OSError:
                return False
            while (frame := self._frames.next()) is not None:
                if frame[0] == SIGNAL and frame[1] in _ALL:
                    self._pass_on(frame[1], frame[2] == "group")
            if self._frames.ended:
                return False

    def _kill_all(self) -> None:
        """The launcher was killed: so is, then, the program."""
        self._kill()
        if not self._same_session:
            # The group is the program's own; whoever kills the launcher's whole group means its children too.
            try:
                os.killpg(self._program, signal.SIGKILL)
            except OSError:
                pass

    def _pass_on(self, number: int, group: bool) -> None:
        """Send on what was sent to the launcher alone: what its whole group was sent has reached us too. In
        another session it has not; there the launcher can tell which of the two it was."""
        if self._same_session:
            info = signal.sigtimedwait({number}, _GROUP_MOMENT_SECONDS)
            if info is not None or time.monotonic() - self._seen.get(number, -1e9) < _RECENT_SECONDS:
                self._seen.pop(number, None)
                return
        if number == signal.SIGCONT and state_of(self._program) != "T":
            return
        try:
            os.killpg(self._program, number) if group else os.kill(self._program, number)
        except ProcessLookupError:
            pass

    def _say(self, kind: bytes, number: int = 0, text: str = "") -> None:
        try:
            self._sock.sendall(encode_frame(kind, number, text))
        except OSError:
            pass
