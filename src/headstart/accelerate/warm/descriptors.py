"""Puts received descriptors where the program expects them and closes everything else."""

from __future__ import annotations

import fcntl
import os


def place(received: dict[int, int], line: int) -> int:
    """Give each descriptor its number: `received` maps the wanted number to where it is now. `line` is ours,
    stays open for now and is returned under the number that it has got."""
    above = max([2, *received, *received.values(), line]) + 1
    # First out of each other's way, then to their places.
    line = fcntl.fcntl(line, fcntl.F_DUPFD_CLOEXEC, above)
    moved = {want: fcntl.fcntl(have, fcntl.F_DUPFD_CLOEXEC, above) for want, have in received.items()}
    for number in opened():
        if number < above:
            close(number)
    for want, have in moved.items():
        os.dup2(have, want, inheritable=True)
    for number in opened():
        if number not in received and number != line:
            close(number)
    return line


def opened() -> list[int]:
    return [int(name) for name in os.listdir("/proc/self/fd")]


def close(number: int) -> None:
    try:
        os.close(number)
    except OSError:
        pass  # the descriptor of the listing itself
