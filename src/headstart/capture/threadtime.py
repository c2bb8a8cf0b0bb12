"""How long the calling thread has been running or ready to run, as the kernel says.

CPU time alone would miss the time in which the thread waited for a core on a busy machine: its work was not
done sooner for that. Where the kernel does not tell, CPU time is what there is.
"""

from __future__ import annotations

import time

_PATH = "/proc/thread-self/schedstat"


def busy_ns() -> int:
    """Nanoseconds; only differences mean something."""
    try:
        with open(_PATH, "rb", buffering=0) as handle:
            running, waiting = handle.read(64).split()[:2]
        return int(running) + int(waiting)
    except (OSError, ValueError):
        return time.thread_time_ns()
