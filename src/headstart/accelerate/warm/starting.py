"""Starts a server for this very environment and waits until it serves: `headstart warm start`."""

from __future__ import annotations

import os
import time

from ...errors import HeadstartError
from . import admin, contract, places, spawn
from .admin import Known
from .caller import Caller, Unsuitable
from .protocol import BadMessage

POLL_SECONDS = 0.05
RETRY_SECONDS = 3.0


def fitting(caller: Caller, folder: str) -> Known | None:
    """A living server that runs from here would be forked from."""
    environ = dict(os.environb)
    for server in admin.known(folder):
        try:
            with open(server.path(places.KEY), "rb") as handle:
                identity, wanted = contract.decode_key(handle.read())
        except (OSError, BadMessage):
            continue
        if identity == caller.identity and not contract.differing(wanted, environ) and server.alive():
            return server
    return None


def start_and_wait(patience: float) -> tuple[Known, float]:
    """The server, and how long it took to come up (0 if it was there)."""
    try:
        caller = Caller()
    except (Unsuitable, OSError) as error:
        raise HeadstartError(f"no warm runs from here: {error}") from None
    folder = places.folder(os.environ)
    began = time.monotonic()
    found = fitting(caller, folder)
    attempts = 0
    last = -RETRY_SECONDS
    while found is None:
        if time.monotonic() - last > RETRY_SECONDS and not _starting(folder):
            # One may have left a moment ago, or come up with a key that has become another.
            attempts += 1
            last = time.monotonic()
            spawn.forget(caller.identity, os.environ)
            trouble = spawn.start(caller.identity, os.environ, None)
            if trouble and trouble != spawn.STARTING:  # somebody else's, begun between the two lines above
                raise HeadstartError(trouble)
        time.sleep(POLL_SECONDS)
        if time.monotonic() - began > patience:
            raise HeadstartError(f"no server after {patience:.0f} s; see the log in {folder}")
        trouble = spawn.failure(caller.identity, os.environ)
        if trouble:
            raise HeadstartError(trouble)
        found = fitting(caller, folder)
    return found, time.monotonic() - began if attempts else 0.0


def _starting(folder: str) -> bool:
    """Whether a server is on its way: it has a log but no key yet, and lives."""
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    for name in names:
        stem, dot, suffix = name.partition(".")
        if dot + suffix == places.LOG and stem + places.KEY not in names and os.path.exists(f"/proc/{stem}"):
            return True
    return False
