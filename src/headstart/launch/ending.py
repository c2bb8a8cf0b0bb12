"""How a process ended, and how to end in the same way."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Ending:
    """The end of the target as the kernel told it."""

    __slots__ = ("at_ns", "maxrss_kb", "signal", "spawn_ns", "status")

    def __init__(self, wait_status: int, spawn_ns: int, at_ns: int, maxrss_kb: int) -> None:
        died = os.WIFSIGNALED(wait_status)
        self.signal: int | None = os.WTERMSIG(wait_status) if died else None
        # As a shell shows it.
        self.status: int = 128 + os.WTERMSIG(wait_status) if died else os.WEXITSTATUS(wait_status)
        self.spawn_ns = spawn_ns
        self.at_ns = at_ns
        self.maxrss_kb = maxrss_kb

    def follow(self) -> NoReturn:
        """End this process as the target ended."""
        if self.signal is not None:
            die_of(self.signal)
        _flush()
        # Not through the interpreter's shutdown: taking a large report apart again can cost more than making it.
        os._exit(self.status)


def die_of(number: int) -> NoReturn:
    """End this process by a signal, so that the shell sees what it would have seen without headstart."""
    import resource

    _flush()
    # The program has left its core file, if any; a second one must not overwrite it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    try:
        signal.signal(number, signal.SIG_DFL)
    except OSError:  # SIGKILL and SIGSTOP have no disposition to set
        pass
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
