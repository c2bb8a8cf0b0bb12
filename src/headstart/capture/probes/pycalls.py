"""Python called from inside a graph or a data pipeline: py_function, numpy_function, from_generator.

Called once per element, so it only counts; the totals are written now and then.
"""

from __future__ import annotations

from typing import Any

from ...record.signals import PYTHON_CALLS
from ..bus import Bus, now
from ..sites import user_site
from ._tools import put_in

WRITTEN_EVERY_NS = 500_000_000


class _Callable:
    """What is known of one registered Python function."""

    __slots__ = ("calls", "first_ns", "last_ns", "name", "ns", "site", "written_ns")

    def __init__(self, name: str, site: Any) -> None:
        self.name = name
        self.site = site
        self.calls = self.ns = self.first_ns = self.last_ns = self.written_ns = 0


def install(bus: Bus, module: Any) -> None:
    known: dict[Any, _Callable] = {}

    def write(token: Any, item: _Callable) -> None:
        item.written_ns = item.last_ns
        attrs = {
            "token": str(token),
            "calls": item.calls,
            "ns": item.ns,
            "first_ns": item.first_ns,
            "last_ns": item.last_ns,
            "site": item.site,
        }
        bus.mark(PYTHON_CALLS, item.name, attrs)

    def inserted(token: Any, result: Any) -> Any:
        try:
            function, site = token
            inner = getattr(function, "_func", function)
            name = str(getattr(inner, "__qualname__", type(inner).__name__))
            known[result.decode() if isinstance(result, bytes) else result] = _Callable(name, site)
        except Exception:
            pass
        return result

    put_in(
        bus,
        module.FuncRegistry,
        "insert",
        lambda func: (func, user_site(0)),
        lambda token: None,
        inserted,
        arguments=("func",),
    )

    def enter(token: Any) -> tuple[Any, int]:
        return token, now()

    def leave(entry: tuple[Any, int]) -> None:
        token, t0 = entry
        key = token.decode() if isinstance(token, bytes) else token
        item = known.get(key)
        if item is None:
            return
        t1 = now()
        item.calls += 1
        item.ns += t1 - t0
        item.first_ns = item.first_ns or t0
        item.last_ns = t1
        if t1 - item.written_ns > WRITTEN_EVERY_NS:
            write(key, item)

    put_in(bus, module.FuncRegistry, "__call__", enter, leave, arguments=("token",))

    def close() -> None:
        for token, item in list(known.items()):
            if item.calls and item.written_ns != item.last_ns:
                write(token, item)

    bus.at_close.append(close)
