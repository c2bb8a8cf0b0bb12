"""What holds the memory when it grows: containers of tensors or arrays, with their name in the user's code.

Looked for only when resident memory has grown a lot since the first step, and at most a few times, from the
sampler's thread, which counts what that costs.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from ...record.signals import HOLDER
from ..bus import Bus
from ..named import Path, named_containers

GROWTH_BYTES = 120 << 20
"""Growth since the first step from which it is worth looking."""
LOOKS = 4
ITEMS = 10
"""A container with fewer tensors than this is not what grows."""
LARGEST = 4
PROBES = 24
DEEP = 3
PARTS = 300
"""Looked at of one item, at most."""
_NO_RECORDS = frozenset(("builtins", "tensorflow", "keras", "numpy"))


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
            for holder in largest_holders(self.bus.main):
                self.bus.mark(HOLDER, holder.pop("name"), {**holder, "rss": rss, "grown": rss - self.base})


def install(bus: Bus, module: Any) -> None:
    bus.on_memory.append(Watch(bus))


def largest_holders(main: int) -> list[dict[str, Any]]:
    """The containers with the most bytes in tensors or arrays that the user's code has a name for."""
    found: list[tuple[int, int, Any, Path]] = []
    for container, path in named_containers(main):
        size, count = _held(container) if len(container) >= ITEMS else (0, 0)
        if size:
            found.append((size, count, container, path))
    found.sort(key=lambda entry: -entry[0])
    return [
        {
            "name": path.text(),
            "site": path.site,
            "bytes": size,
            "items": count,
            "type": type(container).__name__,
            **({"most": container.maxlen} if getattr(container, "maxlen", None) else {}),
        }
        for size, count, container, path in found[:LARGEST]
    ]


def _held(container: Any) -> tuple[int, int]:
    """(bytes, count) of tensors and arrays in a container, judged by a few of its items and without a copy."""
    length = len(container)
    try:
        if isinstance(container, list):
            probe = [container[length * part // PROBES] for part in range(min(PROBES, length))]
        else:
            values = container.values() if isinstance(container, dict) else container
            probe = list(islice(values, PROBES))
    except (RuntimeError, IndexError):  # the program changed it while we looked
        return 0, 0
    # Nearly all containers hold no tensor: three looks tell.
    if not any(_bytes(probe[at]) for at in (0, len(probe) // 2, -1)):
        return 0, 0
    real = [size for value in probe if (size := _bytes(value)) > 0]
    if len(real) * 2 < len(probe):
        return 0, 0
    return sum(real) * length // len(probe), length


def _bytes(value: Any) -> int:
    """In tensors and arrays, of an item and of what it holds: `(step, {"gradients": [a, b]})` is three deep."""
    total, queue = 0, [(value, 0)]
    for _ in range(PARTS):
        if not queue:
            break
        part, depth = queue.pop()
        kind = type(part)
        try:
            if kind.__name__ == "ndarray":
                total += int(part.nbytes)
            elif kind.__name__ == "EagerTensor":
                total += int(part.shape.num_elements()) * int(part.dtype.size)
            elif depth < DEEP:
                queue.extend(_parts(part, kind, depth))
        except Exception:
            continue
    return total


def _parts(value: Any, kind: type, depth: int) -> list[tuple[Any, int]]:
    """What a record holds: a tuple with or without names, a list, a dictionary, or an object's own attributes.

    Never by way of code that could run."""
    held: list[Any] = []
    if issubclass(kind, tuple):
        held = list(tuple.__iter__(value))
    elif issubclass(kind, list):
        held = list(list.__iter__(value))
    elif issubclass(kind, dict):
        held = list(dict.values(value))
    elif kind.__module__.split(".")[0] not in _NO_RECORDS:
        depth = DEEP  # an object that is a record has its tensors at hand; others hold the whole program
        held = [kind.__dict__[name].__get__(value) for name in kind.__dict__.get("__slots__", ())]
        if kind.__dictoffset__:
            held += list(object.__getattribute__(value, "__dict__").values())
    return [(part, depth + 1) for part in held] if len(held) < PARTS else []
