"""The depth at which the program starts counts against its recursion limit: `RecursionError` must come at the
same depth as in plain runs, and with the same number of lines in its traceback.

Until Python 3.11 calls of C functions count as well. The counter is in the thread's state, in a place that each
version has; it is only touched where it is found to behave as that counter does.
"""

from __future__ import annotations

import ctypes
import sys

_POINTERS_BEFORE_COUNTER = {(3, 10): 4, (3, 11): 3}


def give_back(levels: int) -> None:
    """Make the interpreter forget that many levels of the current depth."""
    version = sys.version_info[:2]
    if version not in _POINTERS_BEFORE_COUNTER:
        return  # from 3.12 on, only Python frames count
    get = ctypes.pythonapi.PyThreadState_Get
    get.restype = ctypes.c_void_p
    start = get() + _POINTERS_BEFORE_COUNTER[version] * ctypes.sizeof(ctypes.c_void_p)
    if version == (3, 10):
        _adjust((ctypes.c_int * 1).from_address(start), 0, 1, -levels)
    else:
        # Two flags, then how much is left, then the limit.
        cells = (ctypes.c_int * 4).from_address(start)
        if cells[3] == sys.getrecursionlimit():
            _adjust(cells, 2, -1, levels)


def _adjust(cells: ctypes.Array[ctypes.c_int], at: int, step: int, change: int) -> None:
    """Change the cell if it counts: a call deeper, it must differ by `step`."""
    here = cells[at]
    if _seen_deeper(cells, at) == here + step and abs(here) < sys.getrecursionlimit() + 1:
        cells[at] += change


def _seen_deeper(cells: ctypes.Array[ctypes.c_int], at: int) -> int:
    return cells[at]
