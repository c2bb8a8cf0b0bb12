"""One row of the terminal that belongs to headstart while the program is silent.

The program writes to the same terminal whenever it likes, so the row must not be where its text goes. The
last row of the screen is taken out of the scrolling region (as apt does for its progress bar): the program's
output scrolls above it, untouched, and the cursor is always put back where the program left it.
"""

from __future__ import annotations

import os
import termios

_SAVE, _RESTORE, _INDEX, _UP = "\x1b7", "\x1b8", "\x1bD", "\x1b[A"
_LEAST_ROWS = 4
_LFLAG = 3


class StatusRow:
    """The last row of the terminal behind a descriptor."""

    def __init__(self, descriptor: int, environ: dict[str, str]) -> None:
        self._descriptor = descriptor
        self._dim = not environ.get("NO_COLOR")
        self._taken: tuple[int, int] | None = None
        self._shown = ""
        self._modes = self._local_modes()

    def show(self, text: str) -> None:
        """Write the row, taking it first if need be. Does nothing where that would disturb somebody."""
        size = self._size()
        if size is None or not self._undisturbed():
            self.release()
            return
        if self._taken not in (None, size):
            self.release()  # the window was resized: the old row is somewhere else now
        columns, rows = size
        text = text[: columns - 1]
        if self._taken and text == self._shown:
            return
        take = ""
        if not self._taken:
            # Make sure that there is a row below the cursor, then keep it from scrolling.
            take = f"{_INDEX}{_SAVE}\x1b[1;{rows - 1}r{_RESTORE}{_UP}"
        styled = f"\x1b[2m{text}\x1b[0m" if self._dim else text
        self._taken, self._shown = size, text
        self._write(f"{take}{_SAVE}\x1b[{rows};1H\x1b[2K{styled}{_RESTORE}")

    def release(self) -> None:
        """Give the row back, empty."""
        if not self._taken:
            return
        _, rows = self._taken
        self._taken = None
        self._write(f"{_SAVE}\x1b[r\x1b[{rows};1H\x1b[2K{_RESTORE}")

    def _write(self, text: str) -> None:
        # One write: the kernel does not mix it with another process's.
        try:
            os.write(self._descriptor, text.encode())
        except OSError:
            self._taken = None

    def _size(self) -> tuple[int, int] | None:
        try:
            columns, rows = os.get_terminal_size(self._descriptor)
        except OSError:
            return None
        return (columns, rows) if rows >= _LEAST_ROWS and columns >= 40 else None

    def _undisturbed(self) -> bool:
        """In the foreground, and the program has not taken the terminal over (a prompt with line editing, a
        debugger, a full-screen program)."""
        try:
            return os.tcgetpgrp(self._descriptor) == os.getpgrp() and self._local_modes() == self._modes
        except OSError:
            return False

    def _local_modes(self) -> int | None:
        try:
            modes = termios.tcgetattr(self._descriptor)[_LFLAG]
        except termios.error:
            return None
        assert isinstance(modes, int)
        return modes & (termios.ICANON | termios.ECHO)


def may_show(environ: dict[str, str], descriptor: int = 2) -> bool:
    """Whether there is a terminal that can do this."""
    return os.isatty(descriptor) and environ.get("TERM", "") not in ("", "dumb", "unknown")
