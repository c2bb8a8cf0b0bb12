"""Looks at the main thread a few dozen times a second, to name what happens between the probes.

It also flushes the record, notes memory, and says which spans are open. Started when TensorFlow or Keras
begins to load: a program that uses neither gets no extra thread. A plain `_thread` thread, so that the
`threading` module's list of threads stays the program's own.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from _thread import allocate_lock, get_ident, start_new_thread
from types import CodeType, FrameType
from typing import Any

from ..record import format as record
from ..record.signals import (
    CPU,
    CPU_MAIN,
    FIRST_STEP_DONE,
    IMPORT,
    NATIVE,
    PROBE_OFF,
    QUEUED_MAIN,
    RSS,
    TRACE,
)
from . import sites, syscalls
from .bus import Bus, now

FAST_SECONDS = 0.02
"""Before the first step: fine enough that a gap of 0.1 s is seen, at well under 1 % of one core."""
SLOW_SECONDS = 0.05
"""In steady state, where a program should be disturbed as little as possible, and inside what has its owner
already. Each look takes the interpreter lock from the program, which costs it more than the look itself."""
LOOKS_AT_TRACES = 100
"""So many looks into traces are fast as well: most traces are short, and what went on in them is worth knowing."""
MEMORY_SECONDS = 0.2
FLUSH_SECONDS = 0.1
"""What a killed process can lose at the most."""
_NAMED_ALREADY = (IMPORT, NATIVE)
"""Inside these there is nothing to name, and stacks are at their deepest: looking would cost the most."""

_running: _Sampler | None = None


class _NoCollection:
    """No garbage is collected in here: it is the program's, and its finalisers belong on the program's threads.

    Only for what is done in well under the interpreter's switch interval and does not let go of its lock, so that
    the program cannot see that the collector is off.
    """

    def __init__(self) -> None:
        self._was_on = False

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *problem: object) -> None:
        if self._was_on:
            gc.enable()


_no_collection = _NoCollection()


def start(bus: Bus) -> None:
    global _running
    if _running is None:
        _running = _Sampler(bus)
        bus.sink.buffered = True
        start_new_thread(_running.run, ())


def stop(bus: Bus) -> dict[str, int]:
    """Stop the thread; returns what sampling cost."""
    global _running
    sampler, _running = _running, None
    bus.sink.buffered = False
    if sampler is None:
        return {}
    sampler.stop()
    return {"samples": sampler.samples, "sampler_ns": sampler.cpu_ns}


def after_fork(bus: Bus) -> None:
    """Threads do not survive a fork: start anew in the child when the parent had a sampler."""
    global _running
    if _running is not None:
        _running = None
        start(bus)


class _Sampler:
    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.samples = 0
        self.cpu_ns = 0
        self._stop = allocate_lock()
        self._stop.acquire()
        self._done = allocate_lock()
        self._done.acquire()
        self._into_traces = 0
        self._last_open: tuple[Any, ...] = ()
        self._waits = syscalls.Waits(bus.main)

    def stop(self) -> None:
        self._stop.release()
        self._done.acquire(True, 1.0)

    def run(self) -> None:
        bus, next_memory, next_flush = self.bus, 0.0, 0.0
        started_ns = time.thread_time_ns()
        me = get_ident()
        told = False
        try:
            while True:
                if self._stop.acquire(True, self._period()):
                    return
                at = time.monotonic()
                if bus.first_step_done and not told:
                    told = True
                    bus.mark(FIRST_STEP_DONE, "")  # ends the launcher's live line
                self._sample(me)
                if at >= next_memory:
                    next_memory = at + MEMORY_SECONDS
                    rss, cpu, queued = resident_bytes(), self._waits.cpu_ns(), self._waits.queued_ns()
                    if rss:
                        with _no_collection:
                            values = {
                                RSS: rss,
                                CPU: time.process_time_ns(),
                                CPU_MAIN: cpu,
                                QUEUED_MAIN: queued,
                            }
                            bus.counters(values)
                        self._tell(rss)
                if at >= next_flush:
                    next_flush = at + FLUSH_SECONDS
                    bus.sink.flush()
                self.cpu_ns = time.thread_time_ns() - started_ns
        except Exception:
            pass
        finally:
            self._done.release()

    def _period(self) -> float:
        """Seconds until the next look: many where nobody else can say what goes on."""
        if self.bus.first_step_done:
            return SLOW_SECONDS
        innermost = self._innermost()
        if innermost == TRACE:
            self._into_traces += 1
            return FAST_SECONDS if self._into_traces <= LOOKS_AT_TRACES else SLOW_SECONDS
        return SLOW_SECONDS if innermost in _NAMED_ALREADY else FAST_SECONDS

    def _named_already(self) -> bool:
        return self._innermost() in _NAMED_ALREADY

    def _innermost(self) -> str | None:
        try:
            return str(self.bus.stack[-1][1])
        except IndexError:
            return None

    def _tell(self, rss: int) -> None:
        """Those who watch the memory; one that fails is let go, the others and the sampling go on."""
        for watch in tuple(self.bus.on_memory):
            try:
                watch(rss)
            except Exception as error:
                self.bus.on_memory.remove(watch)
                self.bus.mark(
                    PROBE_OFF, type(watch).__module__, {"why": f"{type(error).__name__}: {error}"[:300]}
                )

    def _sample(self, me: int) -> None:
        """Frames must not be held while the lock is let go: the program would go on under our hands. So what reads
        files comes first, and the rest is over before the program can ask for the lock."""
        wait = None if self._named_already() else self._waits.blocked_in()
        with _no_collection:
            self._look(me, wait)

    def _look(self, me: int, wait: str | None) -> None:
        bus = self.bus
        open_now = tuple((span[0], span[1], span[2]) for span in list(bus.stack))
        at = now()
        if open_now != self._last_open:
            # Only what has been open for a while is worth a line: it is for killed runs and the live line.
            long_open = [list(item) for item in open_now if at - item[0] > 30_000_000]
            if long_open or self._last_open:
                bus.put(("o", at, long_open))
            self._last_open = open_now if long_open else ()
        if open_now and open_now[-1][1] in _NAMED_ALREADY:
            return
        frame = sys._current_frames().get(bus.main)
        if frame is None or bus.main == me:
            return
        flags, site, entry, leaf, traced = describe(frame)
        del frame
        self.samples += 1
        if wait is not None:
            leaf = f"{leaf} [{wait}]"
        bus.put(
            (
                "p",
                at,
                flags,
                site[0] if site else None,
                site[1] if site else 0,
                site[2] if site else "",
                entry,
                leaf,
                traced,
            )
        )


_AUTOGRAPH = "tensorflow/python/autograph/"
"""Stands between rewritten code and whatever it calls."""
_labels: dict[CodeType, str] = {}


def _label(code: CodeType) -> str:
    label = _labels.get(code)
    if label is None:
        label = _labels[code] = f"{sites.short(code.co_filename)}:{code.co_name}"
    return label


def describe(frame: FrameType) -> tuple[int, tuple[str, int, str] | None, str, str, str]:
    """Flags, innermost user line, the library function it called, the innermost frame, and what is being traced."""
    flags = 0
    leaf = _label(frame.f_code)
    entry = called = traced = ""
    site: tuple[str, int, str] | None = None
    current: FrameType | None = frame
    library_seen = 0
    while current is not None:
        code = current.f_code
        kind = sites.kind_of(code.co_filename)
        if kind == sites.LIBRARY:
            library_seen = record.IN_LIBRARY
            if site is not None:
                break
            entry = _label(code)
            if not entry.startswith(_AUTOGRAPH):
                called = entry
            if code.co_name in ("_create_op_internal", "_apply_op_helper"):
                flags |= record.GRAPH_MODE
        elif site is None and kind == sites.USER and sites.is_user_frame(current):
            site = (code.co_filename, current.f_lineno, code.co_name)
            if library_seen:
                break  # all is known; what is further out is the caller's business
        elif site is None and not traced and sites.is_rewritten(code.co_filename):
            name = code.co_name.removeprefix("tf__")
            traced = name + record.ARROW + called if called else name
        elif code.co_name == "_find_and_load" and "importlib" in code.co_filename:
            flags |= record.IN_IMPORT
        current = current.f_back
    if site is None:
        flags |= record.NO_USER_FRAME
    return flags | library_seen, site, entry, leaf, traced


_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident_bytes() -> int:
    try:
        with open("/proc/self/statm", "rb") as handle:
            return int(handle.read().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
