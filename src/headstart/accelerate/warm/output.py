"""What importing prints: kept while the server imports, printed again where the program imports.

TensorFlow's native code writes its notes straight to standard error, with the time and the number of the
process in front: these are made those of the printing, as nobody would believe them otherwise.
"""

from __future__ import annotations

import os
import re
import sys
import time

_STAMP = re.compile(rb"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}(?=: )", re.MULTILINE)
_GLOG = re.compile(rb"^([IWEF])\d{4} \d\d:\d\d:\d\d(?:\.\d{6})? +\d+ (?=\S+:\d+\] )", re.MULTILINE)
_EARLY = re.compile(rb"^([IWEF])0000 00:00:\d+\.\d{6} +\d+ (?=\S+:\d+\] )", re.MULTILINE)


class Capture:
    """Takes the place of standard output and error of this process."""

    def __init__(self) -> None:
        self._files = {number: os.memfd_create(f"headstart-{number}", os.MFD_CLOEXEC) for number in (1, 2)}
        self._seen = dict.fromkeys(self._files, 0)
        for number, file in self._files.items():
            os.dup2(file, number)

    def fresh(self) -> list[tuple[int, bytes]]:
        """What was written since the last call."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        found = []
        for number, file in self._files.items():
            size = os.fstat(file).st_size
            if size > self._seen[number]:
                found.append((number, os.pread(file, size - self._seen[number], self._seen[number])))
                self._seen[number] = size
        return found

    def close(self, log: int) -> None:
        """From now on, write to the log instead."""
        for number, file in self._files.items():
            os.dup2(log, number)
            os.close(file)


def replay(number: int, data: bytes) -> None:
    """Print it again, as if it were happening now. In the program."""
    stream = sys.__stdout__ if number == 1 else sys.__stderr__
    try:
        if stream is not None:
            stream.flush()
        view = memoryview(as_of_now(data))
        while view:
            view = view[os.write(number, view) :]
    except (OSError, ValueError):
        pass  # closed or full: native code does not check either


def as_of_now(data: bytes) -> bytes:
    now = time.time()
    micro = f"{now % 1:.6f}"[1:].encode()
    local = time.localtime(now)
    process = b"%7d " % os.getpid()
    data = _STAMP.sub(time.strftime("%Y-%m-%d %H:%M:%S", local).encode() + micro, data)
    data = _EARLY.sub(rb"\g<1>0000 00:00:%d" % int(now) + micro + b" " + process, data)
    return _GLOG.sub(
        rb"\g<1>" + time.strftime("%m%d %H:%M:%S", local).encode() + micro + b" " + process, data
    )
