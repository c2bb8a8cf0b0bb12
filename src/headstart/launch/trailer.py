"""What the launcher itself writes into a record, once the target is gone."""

from __future__ import annotations

import json
import os
import sys
import time

from .._version import __version__
from ..record.format import HEADER_KEY, RECORD_VERSION
from .ending import Ending
from .surroundings import surroundings


def close_record(record: str, run: str, argv: list[str], pid: int, ending: Ending) -> None:
    """Say how the target ended. A record that cannot be written any more stays as it is: readable, cut."""
    facts = {
        "status": ending.status,
        "signal": ending.signal,
        "maxrss_kb": ending.maxrss_kb,
        "spawn_ns": ending.spawn_ns,
    }
    lines = (["f", {"environment": surroundings()}], ["x", ending.at_ns, facts])
    trailer = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    try:
        descriptor = os.open(record, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size == 0:
                trailer = _header(run, argv, pid, ending) + trailer
            elif os.pread(descriptor, 1, size - 1) != b"\n":
                # A killed target leaves half a line; the trailer needs one of its own.
                trailer = b"\n" + trailer
            os.write(descriptor, trailer)
        finally:
            os.close(descriptor)
    except OSError:
        pass


def _header(run: str, argv: list[str], pid: int, ending: Ending) -> bytes:
    """For a target that did not live long enough to write one: all its time was the interpreter's start."""
    header = {
        HEADER_KEY: RECORD_VERSION,
        "headstart": __version__,
        "run": run,
        "pid": pid,
        "ppid": os.getpid(),
        "argv": argv[1:],
        "executable": argv[0],
        "python": sys.version.split()[0],
        "start_ns": ending.spawn_ns,
        "boot_ns": ending.at_ns,
        "unix_ns": time.time_ns(),
        "main_tid": 0,
    }
    return json.dumps(header).encode() + b"\n"
