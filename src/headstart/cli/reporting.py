"""Reports on their way out: to the files that were claimed, and to the terminal."""

from __future__ import annotations

import os
import shutil
from typing import TextIO

from .. import api
from ..errors import HeadstartError
from .outputs import Output, write
from .saying import say


def write_files(reading: api.Reading, outputs: list[Output]) -> bool:
    """Write every claimed report; one that fails is said and does not keep the others from being written."""
    fine = True
    for output in outputs:
        try:
            path = write(output, api.render(output.kind, reading))
        except HeadstartError as error:
            say(str(error))
            fine = False
            continue
        if path != output.path:
            say(f"another run has written {output.path} meanwhile; this {output.kind} is in {path}")
    return fine


def show(reading: api.Reading, stream: TextIO) -> None:
    """Print the report as this stream can show it."""
    terminal = stream.isatty()
    dumb = os.environ.get("TERM", "") in ("", "dumb")
    text = api.render(
        "terminal",
        reading,
        width=shutil.get_terminal_size((80, 24)).columns if terminal else 80,
        color=terminal and not dumb and not os.environ.get("NO_COLOR"),
        unicode=_speaks_unicode(stream),
    )
    assert isinstance(text, str)
    try:
        stream.write(text)
        stream.flush()
    except UnicodeEncodeError:
        # Some name in the report cannot be written in this encoding.
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()


def _speaks_unicode(stream: TextIO) -> bool:
    try:
        "·→█▏".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
