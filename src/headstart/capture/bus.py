"""The bus: where probes put spans, marks, counters and facts.

Spans of the main thread are also kept on a stack while they are open, so that the sampler can say what the
program is doing now and a killed run shows what it died in.
"""

from __future__ import annotations

import time
from _thread import get_ident
from collections.abc import Callable
from typing import Any

from .sink import Sink

now = time.monotonic_ns
Open = list[Any]
"""An open span: [t0, kind, name, attrs]. Probes fill `attrs` before they close it."""


class Bus:
    """What one process says about itself."""

    def __init__(self, sink: Sink, start_ns: int) -> None:
        self.sink = sink
        self.start_ns = start_ns
        self.main = get_ident()
        self.stack: list[Open] = []
        self.put = sink.put
        self.own_ns = 0
        """Time that headstart itself spent on the program's thread, where it was measured directly."""
        self.spans = 0
        self.facts_seen: dict[str, Any] = {}
        self.first_step_done = False
        self.at_close: list[Callable[[], None]] = []
        """Called when the record closes in good order, before its last line."""
        self.on_memory: list[Callable[[int], None]] = []
        """Called by the sampler with the resident bytes, each time they are read."""

    def take_over(self, fresh: Bus) -> Bus:
        """Write to another bus's file from now on: the probes hold this object, not that one."""
        self.sink, self.put = fresh.sink, fresh.sink.put
        self.start_ns, self.main = fresh.start_ns, fresh.main
        self.spans = self.own_ns = 0
        self.first_step_done = False
        del self.stack[:]
        if self.facts_seen:
            self.put(("f", dict(self.facts_seen)))
        return self

    def begin(self, kind: str, name: str, attrs: dict[str, Any] | None = None) -> Open:
        span: Open = [now(), kind, name, attrs]
        if get_ident() == self.main:
            self.stack.append(span)
        return span

    def end(self, span: Open) -> None:
        t1 = now()
        tid = get_ident()
        if tid == self.main:
            stack = self.stack
            if stack and stack[-1] is span:
                stack.pop()
            elif (
                span in stack
            ):  # an inner span was never closed: a generator that was dropped, a thread switch
                del stack[stack.index(span) :]
        self.spans += 1
        self.put(("s", span[0], t1, tid, span[1], span[2], span[3]))

    def say_open(self) -> None:
        """While no sampler does it: what is begun now may take long, or be the last thing that the program does."""
        if not self.sink.buffered:
            self.put(("o", now(), [[start, kind, name] for start, kind, name, _ in self.stack]))

    def drop(self, span: Open) -> None:
        """Forget an open span that turned out not to be worth a line."""
        stack = self.stack
        if stack and stack[-1] is span:
            stack.pop()
        elif span in stack:
            del stack[stack.index(span) :]

    def span(self, t0: int, t1: int, kind: str, name: str, attrs: dict[str, Any] | None = None) -> None:
        """A span that was timed elsewhere."""
        self.spans += 1
        self.put(("s", t0, t1, get_ident(), kind, name, attrs))

    def mark(self, kind: str, name: str, attrs: dict[str, Any] | None = None) -> None:
        self.put(("m", now(), get_ident(), kind, name, attrs))

    def counters(self, values: dict[str, int]) -> None:
        self.put(("c", now(), values))

    def fact(self, **values: Any) -> None:
        self.facts_seen.update(values)
        self.put(("f", values))

    def inside(self, *kinds: str) -> bool:
        """True when the main thread has a span of one of these kinds open (callers check the thread)."""
        return any(span[1] in kinds for span in self.stack)

    def on_main(self) -> bool:
        return get_ident() == self.main
