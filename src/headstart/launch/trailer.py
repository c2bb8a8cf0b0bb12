"""The launcher's own line at the end of a record."""

from __future__ import annotations

import json
import os

from .ending import Ending


def append_trailer(record: str, ending: Ending) -> None:
    """Say how the target ended. A record that cannot be written any more stays as it is: readable, cut."""
    facts = {
        "status": ending.status,
        "signal": ending.signal,
        "maxrss_kb": ending.maxrss_kb,
        "spawn_ns": ending.spawn_ns,
    }
    line = json.dumps(["x", ending.at_ns, facts]).encode() + b"\n"
    try:
        with open(record, "r+b", buffering=0) as handle:
            size = handle.seek(0, os.SEEK_END)
            if size:
                handle.seek(-1, os.SEEK_END)
                # A killed target leaves half a line; the trailer needs one of its own.
                if handle.read(1) != b"\n":
                    line = b"\n" + line
        descriptor = os.open(record, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
    except OSError:
        pass
