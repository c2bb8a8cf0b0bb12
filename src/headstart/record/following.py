"""Reads a run file while it is being written, so that little is left to read when the program has ended."""

from __future__ import annotations

import os

from .appended import Appended
from .nouns import Run
from .reader import Builder, RecordError, read_header, read_run


class Following:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._appended = Appended(path)
        self._builder: Builder | None = None

    def look(self) -> None:
        """Read what was appended since the last look."""
        path, lines = self._appended.path, self._appended.lines()
        if lines and self._builder is None:
            try:
                self._builder = Builder(path, read_header(path, lines.pop(0)))
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
            return read_run(self._appended.path)
        self._builder.add([self._appended.rest])
        return self._builder.run()
