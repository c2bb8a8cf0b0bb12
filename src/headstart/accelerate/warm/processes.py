"""Small facts of processes that Python's library does not offer."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import struct

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int | None) -> None:
    """Have the kernel kill this process when its parent dies; None takes that back."""
    _libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL) if parent else 0, 0, 0, 0)
    if parent and os.getppid() != parent:
        os._exit(1)


def join_group(caller: int) -> bool:
    """Be in the caller's process group, as far as the kernel allows: groups do not cross sessions. Elsewhere, be
    in a group of one's own. Says which."""
    if os.getsid(caller) == os.getsid(0):
        os.setpgid(0, os.getpgid(caller))
        return True
    if os.getpgid(os.getppid()) == os.getpgid(0):
        os.setpgid(0, 0)
    return False


def leave_group() -> None:
    """Before this process ends. It is the only one in the caller's group with a parent elsewhere in the session; at the
    end of such a one the kernel hangs up on a group that nobody else looks after (in a container, after `nohup`) and
    that has a stopped process in it."""
    os.setpgid(0, 0)


def credentials(sock: socket.socket) -> tuple[int, int, int]:
    """Process, user and group at the other end, as the kernel vouches for them."""
    pid, uid, gid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid, gid


def state_of(pid: int) -> str:
    """The letter that `ps` shows: T for stopped; empty if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as handle:
            return handle.read().rpartition(b")")[2].split()[0].decode()
    except OSError:
        return ""


def memory_bytes(pid: int | str = "self") -> int:
    """What this process has of its own: the pages that no file backs."""
    with open(f"/proc/{pid}/statm", "rb") as handle:
        _, resident, shared, *_ = handle.read().split()
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
