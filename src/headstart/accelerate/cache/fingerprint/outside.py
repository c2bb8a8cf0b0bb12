"""Values that can be asked about the world: paths about the disk, dates about the clock."""

from __future__ import annotations

from typing import Any

from .asked import OF_THE_CLOCK, OF_THE_DISK
from .plain import by_repr
from .walk import Unfit, Walk


class _OnDisk:
    """Stands for what there is at a path."""


def path(walk: Walk, value: Any) -> None:
    by_repr(walk, value)
    walk.asked(OF_THE_DISK, "", _OnDisk())


def on_disk(walk: Walk, value: Any) -> None:
    raise Unfit("it asks a path what there is on disk, which a later run need not find")


class _Now:
    """Stands for the time, and for the place that the clock shows it for."""


def date(walk: Walk, value: Any) -> None:
    by_repr(walk, value)
    walk.asked(OF_THE_CLOCK, "", _Now())


def on_clock(walk: Walk, value: Any) -> None:
    raise Unfit(
        "it asks a date for the time, or for the zone of the machine, which a later run need not find"
    )


EXACT: dict[type, Any] = {_OnDisk: on_disk, _Now: on_clock}
