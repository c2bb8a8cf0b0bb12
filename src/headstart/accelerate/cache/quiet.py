"""Keeps lines of TensorFlow's that only exist because of our caches off the program's stderr; all else passes.

The lines are written by C++ to descriptor 2. For the time of one call that descriptor leads to a thread which
passes on what it reads, whole lines at a time, and leaves ours out.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Parts of lines that TensorFlow writes when its file caches are in use.
GRAPH_LINES = (
    b"TensorFlow graph cache existed; reading from cache",
    b"Successfully restored the Tensorflow optimized graph from the cache",
    b"Writing the optimized TensorFlow graph into cache",
    b"Successfully wrote the optimized Tensorflow graph into cache",
)
XLA_LINES = (b"Error parsing text-format tensorflow.XlaSerializedCacheEntry",)


@contextmanager
def without(parts: tuple[bytes, ...]) -> Iterator[None]:
    """Leaves out lines with any of these parts, until the end of the block."""
    try:
        kept = os.dup(2)
        reading, writing = os.pipe()
        os.dup2(writing, 2)
        os.close(writing)
    except OSError:  # no stderr, or no descriptors left: then the lines may appear
        yield
        return
    stop_reading, stop_writing = os.pipe()
    thread = threading.Thread(
        target=_pass_on,
        args=(reading, stop_reading, kept, lambda line: any(part in line for part in parts)),
        daemon=True,
    )
    thread.start()
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.write(stop_writing, b"x")
        thread.join()
        for descriptor in (reading, stop_reading, stop_writing, kept):
            os.close(descriptor)


def _pass_on(reading: int, stop: int, kept: int, is_ours: Callable[[bytes], bool]) -> None:
    rest = b""
    while True:
        ready, _, _ = select.select([reading, stop], [], [])
        if reading in ready:
            data = os.read(reading, 1 << 16)
            rest = _write(rest + data, kept, is_ours)
            if data:
                continue
        # Nothing more to read, and we are asked to stop (or the other end is gone).
        if rest and not is_ours(rest):
            _write_all(kept, rest)
        return


def _write(data: bytes, kept: int, is_ours: Callable[[bytes], bool]) -> bytes:
    """Passes on whole lines; what follows the last line end is returned, unless it waits for somebody to answer."""
    *lines, rest = data.split(b"\n")
    _write_all(kept, b"".join(line + b"\n" for line in lines if not is_ours(line)))
    if rest and not rest[:1].isalnum() and not rest.startswith((b"20", b"I0", b"W0", b"E0")):
        _write_all(kept, rest)  # not the start of a log line: a progress bar, a prompt
        rest = b""
    return rest


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except OSError:
            return
