"""The end of the program: when its main code is over, and the last moment that we can still write.

The interpreter calls `threading._shutdown` first thing when the main program is over, then the atexit
functions. `os._exit` skips both, so what is queued is written before it.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from typing import Any

from ..record.signals import SHUTDOWN
from .bus import Bus, Open


def install(bus: Bus, stop: Callable[[], None]) -> None:
    from . import hooks

    state: list[Open] = []

    def begin() -> None:
        if not state and bus.on_main():
            del bus.stack[:]  # the main program is over: nothing of it can still be open
            state.append(bus.begin(SHUTDOWN, "shutdown"))

    def last() -> None:
        begin()
        bus.end(state[0])
        stop()

    # Registered first, so it runs last: what the program does in its own atexit functions is still seen.
    atexit.register(last)
    hooks.when_imported("threading", lambda module: _patch_threading(module, begin))
    _patch_os_exit(bus)


def _patch_threading(module: Any, begin: Callable[[], None]) -> None:
    original = module._shutdown

    def _shutdown() -> None:
        begin()
        original()

    _shutdown.__code__ = _shutdown.__code__.replace(co_filename=original.__code__.co_filename)
    module._shutdown = _shutdown


def _patch_os_exit(bus: Bus) -> None:
    original = os._exit

    def _exit(status: int) -> Any:
        bus.sink.flush()
        original(status)

    os._exit = _exit
