"""Writes the run file: one JSON document a line, appended, never rewritten.

Events are queued as tuples (cheap on the program's thread) and encoded in batches. Until the sampler thread
runs, each event is written at once; afterwards the sampler flushes many times a second. A killed process
loses at most that fraction of a second; a full disk ends the record, never the program.
"""

from __future__ import annotations

import os
from _collections import deque  # type: ignore[import-not-found]
from _json import encode_basestring_ascii, make_encoder
from typing import Any

# The program may replace them (a test's mock, a file system in memory): its own see none of our calls.
_write, _close = os.write, os.close
_encode = make_encoder(None, repr, encode_basestring_ascii, None, ":", ",", False, False, True)


def encode(value: Any) -> str:
    """JSON without the `json` package, which a program that does not use it should not find loaded."""
    return "".join(_encode(value, 0))


class Sink:
    """An append-only file of one process."""

    def __init__(self, path: str, header: dict[str, Any]) -> None:
        self.path = path
        self.pending: deque[Any] = deque()
        self.buffered = False
        self.events = 0
        self.failed: str | None = None
        self._fd = -1
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            self._fd = _out_of_the_way(fd)
            self._write(encode(header) + "\n")
        except OSError as error:
            self.failed = str(error)

    def put(self, event: Any) -> None:
        self.pending.append(event)
        if not self.buffered:
            self.flush()

    def flush(self) -> None:
        """Encode and write what is queued. Safe to call from any thread: each event is taken once."""
        pending = self.pending
        if not pending:
            return
        lines = []
        while True:
            try:
                event = pending.popleft()
            except IndexError:
                break
            try:
                lines.append(encode(event))
            except (ValueError, TypeError, RecursionError):
                continue
        self.events += len(lines)
        if lines and self.failed is None:
            self._write("\n".join(lines) + "\n")

    def _write(self, text: str) -> None:
        data = text.encode("ascii", "backslashreplace")
        try:
            while data:
                data = data[_write(self._fd, data) :]
        except OSError as error:
            self.failed = str(error)

    def close(self) -> None:
        self.flush()
        self.abandon()

    def abandon(self) -> None:
        """Let go of the file without writing: it belongs to the process that this one was forked from."""
        self.pending.clear()
        if self._fd >= 0:
            try:
                _close(self._fd)
            except OSError:
                pass
        self._fd = -1
        self.failed = self.failed or "closed"


def _out_of_the_way(fd: int) -> int:
    """Move the descriptor up, so that the program's own files get the numbers that they would get anyway."""
    try:
        import fcntl

        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 700)
    except (ImportError, OSError):
        return fd
    os.close(fd)
    return high
