"""How the program looks from outside and to itself: its command line, its environment, its parent.

`ps` and `/proc` show the memory that the kernel was told of when the process was started, which was the
server's. Linux lets a process name other memory instead; where it does not, the server's line is shown.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import posix
import struct
from collections.abc import Iterable, Mapping

_PR_SET_MM, _PR_SET_MM_MAP = 35, 14
# struct prctl_mm_map: eleven addresses, a pointer to an auxiliary vector (none), its size, a file (none).
_MAP = struct.Struct("@11QQIi")


def show(words: Iterable[bytes], environ: Mapping[bytes, bytes]) -> None:
    """Make this the command line and the environment that others see."""
    arguments = b"".join(word + b"\0" for word in words)
    variables = b"".join(name + b"=" + value + b"\0" for name, value in environ.items())
    memory = mmap.mmap(-1, len(arguments) + len(variables) + 1)
    memory.write(arguments + variables)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    _kept.append(memory)
    with open("/proc/self/stat", "rb") as handle:
        # From the fourth field on: the second may hold anything, the third is a letter.
        stat = [int(field) for field in handle.read().rpartition(b")")[2].split()[1:]]
    libc = ctypes.CDLL(None)
    libc.sbrk.restype = ctypes.c_void_p
    libc.sbrk.argtypes = [ctypes.c_long]
    code, code_end, stack = stat[22:25]
    data, data_end, heap = stat[41:44]
    split, end = start + len(arguments), start + len(arguments) + len(variables)
    packed = _MAP.pack(
        *(code, code_end, data, data_end, heap, libc.sbrk(0), stack, start, split, split, end), 0, 0, -1
    )
    libc.prctl(_PR_SET_MM, _PR_SET_MM_MAP, packed, ctypes.c_ulong(len(packed)), ctypes.c_ulong(0))


_kept: list[mmap.mmap] = []


def adopt(launcher: int) -> None:
    """To the program, the parent is whoever started the launcher: programs send signals to their parent, and end
    themselves when it has gone."""
    program, real = os.getpid(), posix.getppid

    def getppid() -> int:
        """Return the parent's process id.

        If the parent process has already exited, Windows machines will still
        return its id; others systems will return the id of the 'init' process (1)."""
        if os.getpid() == program:
            try:
                with open(f"/proc/{launcher}/stat", "rb") as handle:
                    return int(handle.read().rpartition(b")")[2].split()[1])
            except OSError:
                pass
        return real()

    getppid.__module__ = "posix"
    getppid.__qualname__ = "getppid"
    os.getppid = posix.getppid = getppid
