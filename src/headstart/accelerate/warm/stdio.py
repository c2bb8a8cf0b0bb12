"""Standard streams for a program whose descriptors 0, 1 and 2 have changed under a running interpreter.

The stream objects stay the same ones, made anew in place: packages that were imported earlier (log handlers,
above all) hold on to them.
"""

from __future__ import annotations

import _io
import os
import sys
from typing import Any

_NAMES = ((0, "stdin"), (1, "stdout"), (2, "stderr"))


def rebuild() -> None:
    """Make `sys.stdin`, `sys.stdout` and `sys.stderr` as the interpreter makes them at its start."""
    for number, name in _NAMES:
        stream: Any = None
        if _is_open(number):
            stream = _STREAMS[number]
            _make(stream, number, name)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def remember() -> None:
    """Called once in the server, while its own streams are as the interpreter made them: the encodings that it
    chose are those of every caller with the same environment."""
    for number, name in _NAMES:
        stream = _STREAMS[number] = getattr(sys, f"__{name}__")
        _ENCODINGS[number] = (stream.encoding, stream.errors)
        _WRITE_THROUGH[number] = stream.write_through


_STREAMS: dict[int, Any] = {}
_ENCODINGS: dict[int, tuple[str, str]] = {}
_WRITE_THROUGH: dict[int, bool] = {}


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _make(stream: Any, number: int, name: str) -> None:
    writing = number > 0
    buffered = not _WRITE_THROUGH[number]
    buffer: Any = _io.open(
        number, "wb" if writing else "rb", -1 if buffered or not writing else 0, closefd=False
    )
    raw = getattr(buffer, "raw", buffer)
    raw.name = f"<{name}>"
    encoding, errors = _ENCODINGS[number]
    line_buffering = buffered and (number == 2 or raw.isatty())
    stream.__init__(buffer, encoding, errors, "\n", line_buffering, not buffered)
    stream.mode = "w" if writing else "r"
