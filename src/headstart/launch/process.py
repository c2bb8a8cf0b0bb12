"""Starts the target and stays beside it, unnoticed, until it ends.

The target is a child in the same process group and session, on the same terminal. What the kernel sends to
the whole group (Ctrl-C, Ctrl-Z, a hang-up) reaches it without our help and must not be sent twice; what
somebody sends to us alone is meant for it and is passed on. `sigtimedwait` tells the two apart (`si_code`),
which signal handlers written in Python cannot.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from ..errors import HeadstartError
from .ending import Ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Watcher(Protocol):
        """Something that follows the run from outside, such as the live line."""

        period: float

        def tick(self) -> None: ...
        def pause(self) -> None: ...
        def stop(self) -> None: ...


_FAULTS = (
    "SIGKILL",
    "SIGSTOP",
    "SIGPIPE",
    "SIGXFSZ",
    "SIGXCPU",
    "SIGSEGV",
    "SIGBUS",
    "SIGFPE",
    "SIGILL",
    "SIGTRAP",
    "SIGSYS",
)
# All that a process may be sent, but for what cannot be held and what the kernel raises for our own acts.
_WATCHED = signal.valid_signals() - {getattr(signal, name) for name in _FAULTS}
_RESET = (signal.SIGPIPE, signal.SIGXFSZ)  # Python ignores these two; a program that it starts should not
_PR_SET_PDEATHSIG = 1
_FOREVER = 3600.0


class Child:
    """A started target."""

    def __init__(self, pid: int, spawn_ns: int, mask: set[int]) -> None:
        self.pid = pid
        self.spawn_ns = spawn_ns
        self._mask = mask
        self._stops = 0

    def wait(self, watcher: Watcher | None = None) -> Ending:
        """Wait for the end, passing signals on; the watcher ticks meanwhile."""
        try:
            while True:
                period = watcher.period if watcher else _FOREVER
                info = signal.sigtimedwait(_WATCHED, period)
                if info is None:
                    if watcher is not None:
                        watcher.tick()
                    continue
                if info.si_signo not in (signal.SIGCHLD, signal.SIGCONT):
                    self._pass_on(info)
                    continue
                stopped, stops = self._stopped(), self._stops
                ending = self._reap(watcher)
                if ending is not None:
                    return ending
                # `fg` has woken the whole group; then the program is not stopped, or has stopped once more since.
                if info.si_signo == signal.SIGCONT and stopped and self._stops == stops:
                    self._pass_on(info)
        finally:
            if watcher is not None:
                watcher.stop()
            while signal.sigtimedwait(_WATCHED, 0):
                pass  # what was meant for the program died with it
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def _reap(self, watcher: Watcher | None) -> Ending | None:
        while True:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG | os.WUNTRACED)
            if pid == 0:
                return None
            if not os.WIFSTOPPED(status):
                return Ending(status, self.spawn_ns, time.monotonic_ns(), usage.ru_maxrss)
            self._stops += 1
            if watcher is not None:
                watcher.pause()
            _stop_like(os.WSTOPSIG(status))

    def _pass_on(self, info: signal.struct_siginfo) -> None:
        # A hang-up is told to the session's leader alone; all else from the kernel goes to the whole group.
        alone = info.si_signo == signal.SIGHUP and os.getsid(0) == os.getpid()
        if info.si_code > 0 and not alone:
            return
        try:
            os.kill(self.pid, info.si_signo)
        except ProcessLookupError:
            pass

    def _stopped(self) -> bool:
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as handle:
                return handle.read().rpartition(b")")[2].split()[0] == b"T"
        except OSError:
            return True


def start(argv: list[str], environment: Callable[[int], dict[str, str]]) -> Child:
    """Start a process; `environment` makes its environment once the moment of its start is known."""
    if not hasattr(signal, "sigtimedwait"):
        raise HeadstartError(
            f"programs cannot be launched under observation on {sys.platform}: this needs Linux"
        )
    prctl = _prctl()
    # Held back from before the fork, so that nothing sent to us is lost or kills us while a program runs.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    on_child = signal.getsignal(signal.SIGCHLD)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # inherited as "ignored", it would take the status away
    parent = os.getpid()
    spawn_ns = time.monotonic_ns()
    env = environment(spawn_ns)
    pid = os.fork()
    if pid == 0:
        try:
            prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
            if os.getppid() != parent:
                os._exit(137)
            for number in _RESET:
                signal.signal(number, signal.SIG_DFL)
            if on_child is signal.SIG_IGN:
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.execve(argv[0], argv, env)
        except BaseException as error:
            os.write(2, f"headstart: cannot start {argv[0]}: {error}\n".encode())
        finally:
            os._exit(127)
    return Child(pid, spawn_ns, {int(number) for number in mask})


def _prctl() -> Callable[[int, int], object]:
    """`prctl(2)`: killing headstart must kill the program, as killing `python` would have."""
    if not sys.platform.startswith("linux"):
        return lambda option, value: None
    try:
        import ctypes

        function: Callable[[int, int], object] = ctypes.CDLL(None).prctl
        return function
    except (ImportError, OSError, AttributeError):
        return lambda option, value: None


def _stop_like(number: int) -> None:
    """Stop as the target did, so that the shell sees a stopped job; returns when somebody continues it."""
    if number == signal.SIGSTOP:
        os.kill(os.getpid(), number)
        return
    before = signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})  # stops here
    signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    signal.signal(number, before)
