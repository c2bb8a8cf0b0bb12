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
XLA_LINES = (
    b"Error parsing text-format tensorflow.XlaSerializedCacheEntry",
    # Of preferences that LLVM lists among a processor's features ("+prefer-no-gather"), on the very processor that
    # compiled it: ours are kept for one processor.
    b"] Loading XLA:CPU AOT result. Target machine feature ",
)


#: What TensorFlow's logging says once, before the first line of the process.
_HEADER = b"All log messages before absl::InitializeLog() is called are written to STDERR"


#: The lines come at the beginning of a call. One that takes longer than this gets its own stderr back.
_LONGEST_SECONDS = 120.0


def is_quiet() -> bool:
    """Whether TensorFlow was told to say nothing of that level anyway."""
    level = os.environ.get("TF_CPP_MIN_LOG_LEVEL", "0")
    return level.isdigit() and int(level) >= 1


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
    """Until it is told to stop. Nobody else reads: it must not fail, or the program's next line would wait for ever."""
    rest = b""
    poll = select.poll()  # select() knows no descriptors above 1023
    poll.register(reading, select.POLLIN)
    poll.register(stop, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(_LONGEST_SECONDS * 1000)}
        if not ready:
            os.dup2(kept, 2)  # then nothing comes any more, and that is the end
            continue
        data = os.read(reading, 1 << 16) if reading in ready else b""
        if data:
            rest = _write(rest + data, kept, is_ours)
            continue
        # Nothing more to read, and we are asked to stop (or the other end is gone).
        if rest and not is_ours(rest):
            _write_all(kept, rest)
        return


def _write(data: bytes, kept: int, is_ours: Callable[[bytes], bool]) -> bytes:
    """Passes on whole lines; what follows the last line end is returned, unless it waits for somebody to answer."""
    *lines, rest = data.split(b"\n")
    if lines and _HEADER in lines[-1] and not rest:
        rest = lines.pop() + b"\n"  # it may be there for a line of ours: that comes next
    passed = [
        line
        for line, following in zip(lines, [*lines[1:], b""], strict=False)
        if not is_ours(line) and not (_HEADER in line and is_ours(following))
    ]
    _write_all(kept, b"".join(line + b"\n" for line in passed))
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
