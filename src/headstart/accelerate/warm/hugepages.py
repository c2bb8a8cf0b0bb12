"""Memory in large pages: a fork copies, and the end of a process takes apart, one entry a page.

Forking a process with TensorFlow in it, and ending the fork, takes about half as long for it.
"""

from __future__ import annotations

import ctypes

_MADV_COLLAPSE = 25  # Linux 6.1; older ones refuse, and nothing is lost
_LARGE = 2 << 20


def collapse() -> None:
    """Ask the kernel to put what this process holds into large pages. A wish, not more."""
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    with open("/proc/self/maps", encoding="ascii", errors="replace") as handle:
        lines = handle.read().splitlines()
    for line in lines:
        where, rights, _, _, file, *_ = line.split()
        begin, end = (int(part, 16) for part in where.split("-"))
        begin, end = (begin + _LARGE - 1) // _LARGE * _LARGE, end // _LARGE * _LARGE
        if rights.startswith("rw") and file == "0" and end > begin:
            madvise(begin, end - begin, _MADV_COLLAPSE)
