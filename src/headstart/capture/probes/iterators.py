"""tf.data in eager code: creating iterators and waiting for elements."""

from __future__ import annotations

import sys
from typing import Any

from ...record.signals import ITERATOR, NEXT
from ..bus import Bus, Open, now
from ..sites import user_site
from ._tools import put_in, state
from .datasets import pipelines
from .looks import watch


def install(bus: Bus, module: Any) -> None:
    owned = module.OwnedIterator
    taken: dict[int, int] = {}
    numbers = [0]
    ids: dict[int, int] = {}

    def create(self: Any, dataset: Any) -> tuple[Open, Any, int] | None:
        try:
            key = id(self)
            taken.pop(key, None)
            numbers[0] += 1
            ids[key] = numbers[0]
            if state.tracing or not bus.on_main():
                return None
            attrs: dict[str, Any] = {"iterator": numbers[0], "dataset": pipelines.of(dataset)}
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
            return bus.begin(ITERATOR, "create", attrs), self, numbers[0]
        except Exception:
            return None

    def created(token: tuple[Open, Any, int] | None) -> None:
        if token is None:
            return
        span, iterator, number = token
        bus.end(span)
        # Only now: TensorFlow complains on the program's stderr when it is asked about one that is not ready.
        if sys.exc_info()[0] is None:
            watch(number, iterator)

    put_in(bus, owned, "_create_iterator", create, created, arguments=("self", "dataset"))

    def enter(self: Any) -> Open | None:
        if state.tracing or not bus.on_main():
            return None
        key = id(self)
        count = taken.get(key, 0)
        taken[key] = count + 1
        attrs: dict[str, Any] = {"iterator": ids.get(key, 0), "first": count == 0}
        if count < 3:
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
        return bus.begin(NEXT, "next", attrs)

    def leave(span: Open | None) -> None:
        if span is None:
            return
        state.waited_ns += now() - span[0]
        state.steps += 1
        error = sys.exc_info()[0]
        if error is not None:
            span[3]["end" if error.__name__ == "OutOfRangeError" else "failed"] = True
        bus.end(span)

    put_in(bus, owned, "_next_internal", enter, leave, arguments=("self",))


def _end(bus: Bus) -> Any:
    return lambda span: None if span is None else bus.end(span)
