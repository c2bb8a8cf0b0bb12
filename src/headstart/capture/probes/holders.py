"""What holds the memory when it grows: containers of tensors or arrays, with their name in the user's code.

Looked for only when resident memory has grown a lot since the first step, and at most a few times, from the
sampler's thread: a walk over all containers takes a tenth of a second.
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from types import FrameType
from typing import Any

from ...record.signals import HOLDER
from ..bus import Bus, now
from ..sites import is_user_frame

GROWTH_BYTES = 120 << 20
"""Growth since the first step from which it is worth looking."""
LOOKS = 4
ITEMS = 10
"""A container with fewer tensors than this is not what grows."""
LARGEST = 4


class Watch:
    """Decides when to look."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.base = 0
        self.next = GROWTH_BYTES
        self.looks = 0

    def __call__(self, rss: int) -> None:
        if not self.bus.first_step_done or self.looks >= LOOKS:
            return
        if not self.base:
            self.base = rss
        elif rss - self.base >= self.next:
            self.looks += 1
            self.next = 2 * (rss - self.base)
            t0 = now()
            for holder in largest_holders(self.bus.main):
                self.bus.mark(HOLDER, holder.pop("name"), {**holder, "rss": rss, "grown": rss - self.base})
            self.bus.own_ns += now() - t0


def install(bus: Bus, module: Any) -> None:
    bus.on_memory.append(Watch(bus))


def largest_holders(main: int) -> list[dict[str, Any]]:
    """The containers with the most bytes in tensors or arrays that the user's code has a name for."""
    found: list[tuple[int, int, Any]] = []
    for item in gc.get_objects():
        if type(item) in (list, deque, dict, set) and len(item) >= ITEMS:
            size, count = _held(item)
            if count >= ITEMS:
                found.append((size, count, item))
    found.sort(key=lambda entry: -entry[0])
    holders = []
    for size, count, container in found[: LARGEST * 3]:
        named = _name_of(container, main)
        if named is not None:
            name, site = named
            holders.append(
                {"name": name, "site": site, "bytes": size, "items": count, "type": type(container).__name__}
            )
        if len(holders) >= LARGEST:
            break
    return holders


def _held(container: Any) -> tuple[int, int]:
    """(bytes, count) of tensors and arrays in a container, judged by a few of its items."""
    try:
        values = list(container.values()) if isinstance(container, dict) else list(container)
    except RuntimeError:  # the program changed it while we looked
        return 0, 0
    probe = values[:: max(1, len(values) // 24)]
    sizes = [_bytes(value) for value in probe]
    real = [size for size in sizes if size > 0]
    if len(real) * 2 < len(probe):
        return 0, 0
    return sum(real) * len(values) // len(probe), len(values)


def _bytes(value: Any, depth: int = 0) -> int:
    kind = type(value).__name__
    try:
        if kind == "ndarray":
            return int(value.nbytes)
        if kind == "EagerTensor":
            return int(value.shape.num_elements()) * int(value.dtype.size)
        if kind in ("tuple", "list") and depth < 2 and len(value) < 200:
            return sum(_bytes(part, depth + 1) for part in value)
        if kind == "dict" and depth < 2 and len(value) < 200:
            return sum(_bytes(part, depth + 1) for part in list(value.values()))
    except Exception:
        return 0
    return 0


def _name_of(container: Any, main: int) -> tuple[str, list[Any]] | None:
    """The variable or attribute under which the running code knows the container, and where it runs."""
    frame: FrameType | None = sys._current_frames().get(main)
    while frame is not None:
        if is_user_frame(frame):
            place = [frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name]
            for scope in (frame.f_locals, frame.f_globals):
                for name, value in list(scope.items()):
                    if value is container:
                        return name, place
                    held = getattr(value, "__dict__", None)
                    if isinstance(held, dict) and type(value).__name__ != "module":
                        for attribute, part in list(held.items()):
                            if part is container:
                                return f"{name}.{attribute}", place
        frame = frame.f_back
    return None
