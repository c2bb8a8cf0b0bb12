"""The record that the user asked to keep: claimed and locked, so that two runs cannot write into one file."""

from __future__ import annotations

import fcntl
import os

from ..errors import HeadstartError
from .outputs import claim, looks_like


class RecordFile:
    """An open, locked record. The lock goes when this process goes."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def clear(self) -> None:
        """Make room for the new run: the last thing to be done before it starts. Records of the old run's child
        processes, which lie beside it, go too: a child of the new run may get the same number."""
        os.ftruncate(self._descriptor, 0)
        folder, name = os.path.split(self.path)
        for entry in os.listdir(folder):
            if entry.startswith(name + ".") and entry[len(name) + 1 :].isdigit():
                child = os.path.join(folder, entry)
                if looks_like("record", child):
                    os.unlink(child)


def open_record(path: str, force: bool) -> RecordFile:
    """Claim a file for a record. What it held is not touched yet."""
    output = claim("record", path, force)
    if output.special:
        raise HeadstartError(f"a record cannot be written to {path}: it must be a file")
    try:
        descriptor = os.open(output.path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise HeadstartError(f"cannot write {output.path}: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise HeadstartError(f"another run is writing {output.path}: give another name to --record") from None
    except OSError:
        pass  # a file system without locks
    return RecordFile(output.path, descriptor)
