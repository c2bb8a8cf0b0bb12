"""Is the main thread waiting for the outside world? Asked of the kernel, not of Python.

A thread that used no CPU since the last look is in a system call; `/proc` says in which one and on which
descriptor. That sees waits inside C code (database drivers, plain sockets) that no Python probe can see.
"""

from __future__ import annotations

import os
import time

# System call numbers of the waits that matter; only the two common 64-bit Linux tables are known.
_TABLES: dict[str, dict[int, str]] = {
    "x86_64": {
        0: "read", 1: "write", 7: "poll", 23: "select", 42: "connect", 43: "accept", 44: "sendto",
        45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 61: "wait4", 232: "epoll_wait", 247: "waitid",
        270: "pselect6", 271: "ppoll", 281: "epoll_pwait", 288: "accept4", 35: "nanosleep", 230: "clock_nanosleep",
    },
    "aarch64": {
        63: "read", 64: "write", 73: "ppoll", 72: "pselect6", 203: "connect", 202: "accept", 206: "sendto",
        207: "recvfrom", 211: "sendmsg", 212: "recvmsg", 260: "wait4", 22: "epoll_pwait", 95: "waitid",
        242: "accept4", 101: "nanosleep", 115: "clock_nanosleep",
    },
}  # fmt: skip
_SOCKET_CALLS = ("connect", "accept", "accept4", "sendto", "recvfrom", "sendmsg", "recvmsg")
_CHILD_CALLS = ("wait4", "waitid")
_READY_CALLS = ("poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait")


class Waits:
    """Tells what one thread is blocked in."""

    def __init__(self, ident: int) -> None:
        self._table = _TABLES.get(platform_machine(), {})
        self._path = f"/proc/self/task/{os.getpid()}/syscall"
        self._schedule = f"/proc/self/task/{os.getpid()}/schedstat"
        self._cpu = -1
        try:
            self._clock: int | None = time.pthread_getcpuclockid(ident)
        except (OSError, AttributeError, OverflowError):
            self._clock = None

    def cpu_ns(self) -> int:
        """CPU time of the thread so far, 0 when it cannot be read."""
        try:
            return time.clock_gettime_ns(self._clock) if self._clock is not None else 0
        except OSError:
            return 0

    def queued_ns(self) -> int:
        """For how long the thread could have run so far while no processor was free, 0 when it cannot be read."""
        try:
            with open(self._schedule, "rb") as handle:
                return int(handle.read(100).split()[1])
        except (OSError, ValueError, IndexError):
            return 0

    def blocked_in(self) -> str | None:
        """ "socket" | "process" | "ready" | "sleep" | "file" while waiting, else None."""
        if self._clock is None or not self._table:
            return None
        try:
            cpu = time.clock_gettime_ns(self._clock)
            idle, self._cpu = cpu == self._cpu, cpu
            if not idle:
                return None
            with open(self._path, "rb") as handle:
                words = handle.read(200).split()
            call = self._table.get(int(words[0]))
            if call is None:
                return None
            if call in _SOCKET_CALLS:
                return "socket"
            if call in _CHILD_CALLS:
                return "process"
            if call in _READY_CALLS:
                return "ready"
            if call.endswith("nanosleep"):
                return "sleep"
            target = os.readlink(f"/proc/self/fd/{int(words[1], 16)}")
            return (
                "socket" if target.startswith("socket:") else "pipe" if target.startswith("pipe:") else "file"
            )
        except (OSError, ValueError, IndexError):
            return None


def platform_machine() -> str:
    # os.uname, not the platform module, which is heavy to load.
    return os.uname().machine if hasattr(os, "uname") else ""
