"""The containers that the user's code has a name for: variables of its running functions and of its modules,
and attributes of what these hold.

Walked from another thread than the one that runs the code, so nothing here may keep anything alive.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from .sites import USER, is_user_frame, kind_of

CONTAINERS = frozenset((list, deque, dict, set, defaultdict, OrderedDict))
DEPTH = 3
"""`agent.memory.buffer` is found; what lies deeper seldom has a name that says more."""
FEW = 64
"""A container of at most this many may be the shelf on which those that grow stand: `history["outputs"]`."""
MOST = 20_000
"""Things looked at in one walk: some ten milliseconds."""
_PLAIN = (str, bytes, int, float, complex, bool, type(None), ModuleType)
_SNAPSHOTS = sys.version_info < (3, 13)
_FRAME_AND_HERE = 3
"""References to a frame's copy of its variables: the frame's, the variable's and the call's that counts them."""
CO_OPTIMIZED = 0x1


class Path(NamedTuple):
    """`agent.memory.buffer` or `history["outputs"]`, as known where the code runs."""

    names: tuple[str, ...]
    site: list[Any]

    def text(self) -> str:
        return ".".join(self.names).replace(".[", "[")


def named_containers(thread: int) -> Iterator[tuple[Any, Path]]:
    """Each container once, by its shortest name; the innermost running function comes first."""
    seen: set[int] = set()
    queue = deque(_roots(thread))
    for _ in range(MOST):
        if not queue:
            return
        value, path = queue.popleft()
        if issubclass(type(value), _PLAIN) or id(value) in seen:  # isinstance would ask the object
            continue
        seen.add(id(value))
        if type(value) in CONTAINERS:
            yield value, path
            if len(value) <= FEW and len(path.names) <= DEPTH:
                queue.extend(
                    (part, Path((*path.names, f"[{key}]"), path.site)) for key, part in _shelves(value)
                )
        elif len(path.names) <= DEPTH:
            queue.extend((part, Path((*path.names, name), path.site)) for name, part in _attributes(value))


def _roots(thread: int) -> Iterator[tuple[Any, Path]]:
    frame: FrameType | None = sys._current_frames().get(thread)
    site: list[Any] | None = None
    modules: list[int] = []
    while frame is not None:
        if is_user_frame(frame):
            place = [frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name]
            site = site or place
            if frame.f_code.co_flags & CO_OPTIMIZED:
                yield from _in(_locals(frame), place)
            if id(frame.f_globals) not in modules:
                modules.append(id(frame.f_globals))
                yield from _in(frame.f_globals, place)
        frame = frame.f_back
    for name, module in list(sys.modules.items()):
        held = _module_dict(module)
        if site is not None and id(held) not in modules and _theirs(held):
            yield from ((value, Path((name, *path.names), site)) for value, path in _in(held, site))


def _module_dict(module: Any) -> dict[str, Any]:
    """Without asking the module, since a lazy one would load what it stands for."""
    held = object.__getattribute__(module, "__dict__") if issubclass(type(module), ModuleType) else None
    return held if type(held) is dict else {}


def _theirs(module: dict[str, Any]) -> bool:
    file = module.get("__file__")
    return isinstance(file, str) and kind_of(file) == USER


def _in(held: dict[str, Any], site: list[Any]) -> list[tuple[Any, Path]]:
    return [(value, Path((name,), site)) for name, value in list(held.items()) if not name.startswith("__")]


def _locals(frame: FrameType) -> dict[str, Any]:
    """A function's variables. Before Python 3.13 asking makes a copy that stays with the frame and would keep
    its values alive: emptied, unless the program itself holds it. It is filled anew for whoever asks next."""
    held = frame.f_locals
    found = dict(held)
    if _SNAPSHOTS and sys.getrefcount(held) <= _FRAME_AND_HERE:
        held.clear()
    return found


def _shelves(container: Any) -> list[tuple[str, Any]]:
    """The containers in a small list or dictionary, by their keys."""
    if type(container) is list:
        return [(str(at), part) for at, part in enumerate(container[:FEW]) if type(part) in CONTAINERS]
    if not issubclass(type(container), dict):
        return []
    try:
        # Of plain keys only: another's `repr` could be code of the program's.
        return [
            (f'"{key}"' if type(key) is str and key.isidentifier() else repr(key), part)
            for key, part in list(container.items())
            if type(key) in (str, int) and type(part) in CONTAINERS
        ]
    except RuntimeError:  # the program changed it while we looked
        return []


def _attributes(value: Any) -> list[tuple[str, Any]]:
    """What an object or a class of the user's holds; never by way of code that could run."""
    try:
        if issubclass(type(value), type):
            module = value.__module__
            theirs = module == "__main__" or _theirs(_module_dict(sys.modules.get(module)))
            return list(vars(value).items()) if theirs else []
        held = object.__getattribute__(value, "__dict__")
        return list(held.items()) if type(held) is dict else []
    except (AttributeError, RuntimeError, TypeError):
        return []
