"""Runs a target under capture, from the first word of its command line to its last moment."""

from __future__ import annotations

import os

from .ending import Ending
from .environment import capture_environment
from .process import start
from .target import Target, command_line
from .trailer import close_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from .process import Watcher


def launch(
    target: Target,
    record: str,
    run: str,
    meanwhile: Callable[[Event], object] | None = None,
    watcher: Callable[[int, int], Watcher | None] | None = None,
) -> Ending:
    """Run the target, write its record, and return how it ended.

    `meanwhile` is called in a thread as soon as the target runs: time in which nobody waits for us. It is given an
    event that is set when the target has ended.
    `watcher` is given the pid and the moment of the start, and may return something that follows the run.
    """
    argv = command_line(target)
    child = start(argv, lambda start_ns: capture_environment(dict(os.environ), record, start_ns, run))
    thread = None
    if meanwhile is not None:
        from threading import Event, Thread

        ended = Event()
        thread = Thread(target=_politely, args=(meanwhile, ended), daemon=True)
        thread.start()
    ending = child.wait(watcher(child.pid, child.spawn_ns) if watcher else None)
    close_record(record, run, argv, child.pid, ending)
    if thread is not None:
        ended.set()
        thread.join()
    return ending


def _politely(work: Callable[[Event], object], ended: Event) -> None:
    """Work in the background without taking the processor from the program (the kernel's priorities are per
    thread)."""
    from threading import get_native_id

    try:
        os.setpriority(os.PRIO_PROCESS, get_native_id(), 10)
    except (OSError, AttributeError):
        pass
    work(ended)
