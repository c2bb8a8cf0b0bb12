"""`tf.concat` in eager code: does a line append to the same tensor again and again?"""

from __future__ import annotations

from typing import Any

from ...record.signals import CONCAT
from ..bus import Bus, now
from ..sites import user_site
from ._tools import put_in, state

WRITTEN_EVERY_NS = 500_000_000


class _Line:
    __slots__ = ("count", "first", "first_ns", "grew", "last", "last_ns", "ns", "written_ns")

    def __init__(self, size: int, at: int) -> None:
        self.first = self.last = size
        self.first_ns = self.last_ns = at
        self.count = self.grew = self.ns = self.written_ns = 0


def install(bus: Bus, module: Any) -> None:
    lines: dict[tuple[Any, ...], _Line] = {}

    def enter() -> int:
        return 0 if state.tracing or not bus.on_main() else now()

    def result(t0: int, made: Any) -> Any:
        if not t0:
            return made
        try:
            if not hasattr(made, "_numpy_internal"):
                return made
            t1 = now()
            site = user_site(0)
            if site is None:
                return made
            key = tuple(site)
            size = int(made.shape.num_elements()) * int(made.dtype.size)
            line = lines.get(key)
            if line is None:
                line = lines[key] = _Line(size, t1)
            line.count += 1
            line.ns += t1 - t0
            line.grew += size > line.last
            line.last = size
            line.last_ns = t1
            if t1 - line.written_ns > WRITTEN_EVERY_NS:
                line.written_ns = t1
                write(key, line)
        except Exception:
            pass
        return made

    def write(site: tuple[Any, ...], line: _Line) -> None:
        attrs = {
            "site": list(site),
            **{name: getattr(line, name) for name in line.__slots__ if name != "written_ns"},
        }
        bus.mark(CONCAT, "concat", attrs)

    def close() -> None:
        for site, line in list(lines.items()):
            if line.count > 4:
                write(site, line)

    put_in(bus, module, "concat", enter, lambda token: None, result, arguments=())
    bus.at_close.append(close)
