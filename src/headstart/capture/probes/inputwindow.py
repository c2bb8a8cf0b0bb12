"""Short looks into the data pipeline with TensorFlow's own tracer.

Inside a Keras `fit` the wait for the next batch happens in the graph, where Python sees nothing, and which
transformation is slow is known to the runtime only. So, a few times in a run, TensorFlow's host tracer is
switched on for a fraction of a second. It starts and stops on a thread of its own, never runs while the
program uses the profiler itself, and what it saw is written as it is: the analysis reads it.
"""

from __future__ import annotations

import time
from _thread import allocate_lock, start_new_thread
from typing import Any

from ...record.signals import INPUT_WINDOW
from ..bus import Bus, now
from ._tools import put_in, state

AFTER_SECONDS = (0.2, 2.5, 20.0)
"""When to look, counted from the end of the first step."""
LOOK_SECONDS = 0.3
LONGEST_SECONDS = 2.5
"""Slow steps are given more time: an event that began before the look, or ends after it, is not seen."""
STEPS_WANTED = 4
WAITING_SHARE = 0.08
"""Where waiting can be seen from Python (a plain loop over a data set), look only if there is some."""
LARGEST_BYTES = 6_000_000
OPTIONS = {"host_tracer_level": 2, "device_tracer_level": 0, "python_tracer_level": 0}


class Window:
    """Opens and closes looks; at most one at a time, and none while somebody else's profiler runs."""

    def __init__(self, bus: Bus, session_class: Any) -> None:
        self.bus = bus
        self.session_class = session_class
        self.session: Any = None
        self.forbidden = False
        self.guard = allocate_lock()
        self.wake = allocate_lock()
        self.wake.acquire()

    def run(self) -> None:
        try:
            while not self.bus.first_step_done:
                if self.wake.acquire(True, 0.1):
                    return
            began = time.monotonic()
            for after in AFTER_SECONDS:
                pause = began + after - time.monotonic()
                if pause > 0 and self.wake.acquire(True, pause):
                    return
                while not self._worth():
                    if self.wake.acquire(True, 0.2):
                        return
                if self.forbidden:
                    return
                self._look()
        except Exception:
            self.cancel()

    def _worth(self) -> bool:
        """Data is being consumed right now, and somebody may be waiting for it."""
        if self.forbidden or state.fitting:
            return True
        waited, at = state.waited_ns, now()
        time.sleep(0.05)
        return state.waited_ns - waited > WAITING_SHARE * (now() - at)

    def _look(self) -> None:
        with self.guard:
            if self.forbidden or self.session is not None:
                return
            self.session = self.session_class()
            self.session.start("", OPTIONS)
        t0, steps = now(), state.steps
        deadline = time.monotonic() + LONGEST_SECONDS
        stopped = self.wake.acquire(True, LOOK_SECONDS)
        while not stopped and state.steps - steps < STEPS_WANTED and time.monotonic() < deadline:
            stopped = self.wake.acquire(True, 0.05)
        done = state.steps - steps
        t1 = now()
        data = self._stop()
        if data and not stopped and len(data) <= LARGEST_BYTES:
            from binascii import b2a_base64
            from zlib import compress

            text = b2a_base64(compress(data, 1), newline=False).decode()
            self.bus.mark(INPUT_WINDOW, "look", {"t0": t0, "t1": t1, "steps": done, "trace": text})

    def _stop(self) -> bytes:
        with self.guard:
            session, self.session = self.session, None
            if session is None:
                return b""
            data = session.stop()
            return data if isinstance(data, bytes) else b""

    def cancel(self) -> None:
        """Somebody else wants the profiler, or the program ends."""
        self.forbidden = True
        if self.wake.locked():
            self.wake.release()
        try:
            self._stop()
        except Exception:
            pass


_window: Window | None = None


def install(bus: Bus, module: Any) -> None:
    global _window
    window = _window = Window(bus, module._pywrap_profiler.ProfilerSession)
    for name in ("start", "start_server"):
        put_in(bus, module, name, window.cancel, lambda token: None, arguments=())
    bus.at_close.append(window.cancel)


def pipeline_in_use(bus: Bus) -> None:
    """Called when the program makes its first iterator over a data set."""
    window = _window
    if window is not None and not state.watched:
        state.watched = True
        start_new_thread(window.run, ())
