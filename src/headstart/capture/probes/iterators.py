"""tf.data in eager code: creating iterators and waiting for elements."""

from __future__ import annotations

from typing import Any

from ...record.signals import ITERATOR, NEXT
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in, span_around, state


def install(bus: Bus, module: Any) -> None:
    owned = module.OwnedIterator
    span_around(bus, owned, "_create_iterator", ITERATOR, label="create")
    taken: dict[int, int] = {}
    numbers = [0]
    ids: dict[int, int] = {}

    def enter(self: Any) -> Open | None:
        if state.tracing or not bus.on_main():
            return None
        key = id(self)
        count = taken.get(key, 0)
        taken[key] = count + 1
        if count == 0:
            numbers[0] += 1
            ids[key] = numbers[0]
        attrs: dict[str, Any] = {"iterator": ids[key], "first": count == 0}
        if count < 3:
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
        return bus.begin(NEXT, "next", attrs)

    put_in(
        bus,
        owned,
        "_next_internal",
        enter,
        lambda span: None if span is None else bus.end(span),
        arguments=("self",),
    )

    def forget(self: Any) -> None:
        taken.pop(id(self), None)

    put_in(bus, owned, "__init__", forget, lambda token: None, arguments=("self",))
