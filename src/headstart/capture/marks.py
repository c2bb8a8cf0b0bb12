"""`headstart.step()`: for loops that nothing can guess."""

from __future__ import annotations

from types import TracebackType

from ..record.signals import STEP
from . import bootstrap
from .bus import Open
from .sites import user_site


class Step:
    """A step's end when it is just called; a whole step when it is used with `with`."""

    def __init__(self) -> None:
        self._span: Open | None = None

    def __enter__(self) -> Step:
        bus = bootstrap.active
        if bus is not None:
            site = user_site(1)
            self._span = bus.begin(STEP, "step", {"site": site} if site else None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        bus = bootstrap.active
        if bus is not None and self._span is not None:
            bus.end(self._span)
            bus.first_step_done = True


def step() -> Step:
    """Mark the end of a step, or use as `with headstart.step():` around one. Costs nothing when not profiled."""
    bus = bootstrap.active
    if bus is not None:
        site = user_site(1)
        bus.mark(STEP, "step", {"site": site} if site else None)
        bus.first_step_done = True
    return Step()
