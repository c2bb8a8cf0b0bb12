"""Reads a run file while it is being written, so that little is left to read when the program has ended."""

from __future__ import annotations

import os

from .nouns import Run
from .reader import Builder, RecordError, read_header, read_run


class Following:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._builder: Builder | None = None
        self._size = 0
        self._rest = b""

    def look(self) -> None:
        """Read what was appended since the last look. Nothing is wrong with a file that is not there yet."""
        try:
            with open(self.path, "rb", buffering=0) as handle:
                handle.seek(self._size)
                data = handle.readall() or b""
        except OSError:
            return
        self._size += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if lines and self._builder is None:
            try:
                self._builder = Builder(self.path, read_header(self.path, lines.pop(0)))
            except RecordError:
                return  # whoever asks for the run will hear of it
        if self._builder is not None:
            self._builder.add(lines)

    @property
    def spans(self) -> int:
        return len(self._builder.spans) if self._builder is not None else 0

    def so_far(self) -> Run | None:
        """The run as it would be read if it ended now, whole lines only."""
        return self._builder.run() if self._builder is not None else None

    def run(self) -> Run:
        """The whole run, as `read_run` has it; to be asked once, when nobody writes any more."""
        self.look()
        if self._builder is None:
            return read_run(self.path)
        self._builder.add([self._rest])
        self._rest = b""
        return self._builder.run()
