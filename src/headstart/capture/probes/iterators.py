"""tf.data in eager code: creating iterators and waiting for elements; also those that a strategy distributes."""

from __future__ import annotations

import sys
from typing import Any

from ...record.signals import ITERATOR, ITERATOR_END, NEXT
from ..bus import Bus, Open, now
from ..sites import user_site
from ._tools import put_in, state
from .datasets import pipelines
from .looks import watch


class Iterators:
    """Numbers for iterator objects, and how many elements were taken from each."""

    def __init__(self) -> None:
        self.count = 0
        self.numbers: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self.waiting = False
        """One that is distributed waits by way of others."""

    def add(self, iterator: Any) -> int:
        self.count += 1
        # A new object may have the address of a dead one.
        self.numbers[id(iterator)] = self.count
        self.taken.pop(id(iterator), None)
        return self.count

    def take(self, iterator: Any) -> tuple[int, int]:
        """Its number, and how many elements were taken before this one."""
        before = self.taken.get(id(iterator), 0)
        self.taken[id(iterator)] = before + 1
        return self.numbers.get(id(iterator), 0), before


iterators = Iterators()

WORTH_NS = 1_000_000
"""Most iterators are let go in less; that is not worth a line."""


class Ending:
    """Times how long an iterator takes to be let go, which no function does: the runtime waits for the work that is
    under way in the pipeline when its last reference goes. An object's attributes are let go in the order in which
    they were set, so the first is the beginning and the last the end."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.since_ns = 0

    def __del__(self) -> None:
        # What is left when Python itself ends is part of that; half of the modules may be gone.
        if not sys.is_finalizing():
            self.since_ns = now()


class Ended:
    def __init__(self, ending: Ending) -> None:
        self.since = ending.__dict__

    def __del__(self) -> None:
        try:
            bus, since_ns = self.since["bus"], self.since["since_ns"]
            if since_ns and now() - since_ns >= WORTH_NS and bus.on_main():
                bus.span(since_ns, now(), ITERATOR_END, "let go")
        except Exception:
            pass


def install(bus: Bus, module: Any) -> None:
    if module.__name__.endswith("input_lib"):
        _distributing(bus, module.DistributedDataset)
        _waiting(bus, module.DistributedIteratorBase, "get_next")
    else:
        _creating(bus, module.OwnedIterator)
        _waiting(bus, module.OwnedIterator, "_next_internal")


def _creating(bus: Bus, owned: Any) -> None:
    def create(self: Any, dataset: Any) -> tuple[Open, Any, int] | None:
        try:
            number = iterators.add(self)
            if state.tracing or not bus.on_main():
                return None
            self._headstart_ending = Ending(bus)
            return _begin(bus, number, pipelines.of(dataset)), self, number
        except Exception:
            return None

    def created(token: tuple[Open, Any, int] | None) -> None:
        if token is None:
            return
        span, iterator, number = token
        bus.end(span)
        ending = iterator.__dict__.get("_headstart_ending")
        if ending is not None:
            iterator._headstart_ended = Ended(ending)
        # Only now: TensorFlow complains on the program's stderr when it is asked about one that is not ready.
        if sys.exc_info()[0] is None:
            watch(number, iterator)

    put_in(bus, owned, "_create_iterator", create, created, arguments=("self", "dataset"))


def _distributing(bus: Bus, dataset: Any) -> None:
    def enter(self: Any) -> Open | None:
        try:
            if state.tracing or not bus.on_main():
                return None
            return _begin(bus, 0, pipelines.of(getattr(self, "_original_dataset", None)))
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            bus.end(span)

    def made(span: Open | None, iterator: Any) -> Any:
        number = iterators.add(iterator)
        if span is not None:
            span[3]["iterator"] = number
        return iterator

    put_in(bus, dataset, "__iter__", enter, leave, made, arguments=("self",))


def _begin(bus: Bus, number: int, dataset: int | None) -> Open:
    attrs: dict[str, Any] = {"iterator": number, "dataset": dataset}
    site = user_site(2)
    if site is not None:
        attrs["site"] = site
    return bus.begin(ITERATOR, "create", attrs)


def _waiting(bus: Bus, owner: Any, method: str) -> None:
    def enter(self: Any) -> Open | None:
        if state.tracing or iterators.waiting or not bus.on_main():
            return None
        iterators.waiting = True
        number, before = iterators.take(self)
        attrs: dict[str, Any] = {"iterator": number, "first": before == 0}
        if before < 3:
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
        return bus.begin(NEXT, "next", attrs)

    def leave(span: Open | None) -> None:
        if span is None:
            return
        iterators.waiting = False
        state.waited_ns += now() - span[0]
        state.steps += 1
        error = sys.exc_info()[0]
        if error is not None:
            span[3]["end" if error.__name__ == "OutOfRangeError" else "failed"] = True
        bus.end(span)

    put_in(bus, owner, method, enter, leave, arguments=("self",))
