"""Reads a file that grows, line by line; without anything that takes long to import."""

from __future__ import annotations

import os


class Appended:
    """What was appended since the last look, in whole lines."""

    def __init__(self, path: str | os.PathLike[str], most: int | None = None) -> None:
        self.path = os.fspath(path)
        self.size = 0
        """Bytes read so far."""
        self.rest = b""
        """The beginning of a line that is not whole yet."""
        self._most = most

    def lines(self) -> list[bytes]:
        """Nothing is wrong with a file that is not there yet. With `most`, a file that grows by more bytes than that
        between two looks is skipped over, but for the last of them."""
        try:
            with open(self.path, "rb", buffering=0) as handle:
                behind = os.fstat(handle.fileno()).st_size - self.size
                if self._most is not None and behind > self._most:
                    self.size += behind - self._most
                    self.rest = b"?"  # whatever comes next is not the beginning of a line
                handle.seek(self.size)
                data = handle.readall() if self._most is None else handle.read(self._most)
        except OSError:
            return []
        self.size += len(data or b"")
        *lines, self.rest = (self.rest + (data or b"")).split(b"\n")
        return lines
