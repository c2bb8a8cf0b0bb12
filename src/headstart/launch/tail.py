"""Follows a record while it is being written: what the program is doing right now."""

from __future__ import annotations

import json

from ..record.appended import Appended
from ..record.signals import FIRST_STEP_DONE

_READ_BYTES = 1 << 20
_OPEN = b'["o",'
_MARK = b'["m",'
_DONE = FIRST_STEP_DONE.encode()


class Tail:
    """Reads what was appended since the last look; keeps only what the live line needs."""

    def __init__(self, path: str) -> None:
        self.open: list[tuple[int, str, str]] = []
        """(start, kind, name) of the spans open on the main thread, the outermost first."""
        self.first_step_done = False
        # A run that writes faster than we read is skipped over: only the present matters.
        self._appended = Appended(path, most=_READ_BYTES)

    @property
    def size(self) -> int:
        return self._appended.size

    def look(self) -> None:
        for line in self._appended.lines():
            if line.startswith(_OPEN):
                self._keep(line)
            elif self.open and line.startswith(b'["s",%d,' % self.open[0][0]):
                self.open = []  # the outermost has ended
            elif line.startswith(_MARK) and _DONE in line:
                self.first_step_done = True

    def _keep(self, line: bytes) -> None:
        try:
            self.open = [(int(start), str(kind), str(name)) for start, kind, name in json.loads(line)[2]]
        except (ValueError, TypeError, IndexError):
            pass
