"""Has a dictionary changed since? CPython keeps a number in each that is another one after every change (PEP 509).

The other way is to compare it with a copy, value by value. That writes to each value (it is referred to for a moment),
and in a process that was forked from a warm one, the system then copies the memory of nearly all that TensorFlow
consists of: most of what looking at the libraries takes there. The number is read where it lies, and nothing is written.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Any

#: After the head that every object has comes the number of entries, then this one.
_OFFSET = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
#: Python versions that have it; PEP 699 takes it away after them.
_HAVE_IT = ((3, 10), (3, 11), (3, 12), (3, 13))


def address_of(space: Any) -> int | None:
    """Where the number of a dictionary lies, or of the one behind the proxy that a class shows. It is there for as long as
    the dictionary lives. ``None`` where that is not known."""
    if not KNOWN:
        return None
    if type(space) is not dict:
        behind = gc.get_referents(space)
        if len(behind) != 1 or type(behind[0]) is not dict:
            return None
        space = behind[0]
    return id(space) + _OFFSET


def at(address: int | None) -> int | None:
    return None if address is None else _number(address).value


def are_all_at(numbers: list[int | None], addresses: list[int | None]) -> bool:
    """Whether they still are what they were; not where any of them is not known."""
    return None not in addresses and numbers == [_number(address).value for address in addresses]  # type: ignore[arg-type]


_number = ctypes.c_uint64.from_address


def _is_known() -> bool:
    if sys.implementation.name != "cpython" or sys.version_info[:2] not in _HAVE_IT:
        return False
    if dict.__basicsize__ != object.__basicsize__ + 4 * 8 or sys.maxsize != 2**63 - 1:
        return False  # an interpreter that was built otherwise
    return _counts_every_change()


def _counts_every_change() -> bool:
    """Tries it: what is believed of this interpreter is seen to hold before anything depends on it."""
    space: dict[str, Any] = {"__builtins__": {}, "a": 1, "b": 2, "c": 3}
    kind = type("kind", (), {"a": 1})
    addresses = [id(space) + _OFFSET, id(gc.get_referents(kind.__dict__)[0]) + _OFFSET]

    def now() -> list[int]:
        return [_number(address).value for address in addresses]

    changes = (
        lambda: space.update(a=2),
        lambda: space.__setitem__("d", 4),
        lambda: space.__delitem__("d"),
        lambda: space.setdefault("e", 5),
        lambda: space.pop("e"),
        lambda: exec("a = 3", space),
        lambda: space.__ior__({"a": 4}),
        lambda: space.popitem(),
        lambda: setattr(kind, "a", 2),
        lambda: setattr(kind, "b", 2),
        lambda: delattr(kind, "b"),
        lambda: space.clear(),
    )
    for change in changes:
        before = now()
        if now() != before or list(space) != list(dict(space)) or now() != before:
            return False
        change()
        if now() == before:
            return False
    return True


KNOWN = _is_known()
