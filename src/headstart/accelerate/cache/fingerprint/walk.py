"""The engine: a breadth-first walk that gives each object its own number, so that sharing is part of the result.

How an object is written down is the duty of the plans (one per type, see the other files here); the engine knows
only numbers, names and order. Breadth-first, because models are deep chains and Python's stack is not.
"""

from __future__ import annotations

import hashlib
import itertools
import struct
import types
from collections import deque
from collections.abc import Callable
from typing import Any

from .asked import RARELY_ASKED

_NEW = "new "
_INSIDE = "inside "
Plan = Callable[["Walk", Any], None]


class Unfit(Exception):
    """This cannot be fingerprinted, so nothing that depends on it may be kept."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = ""


class Held:
    """Stands for a module where an object holds it: what code reads on it there is not known."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module


class Walk:
    """One walk; what it found is in ``digest()``, ``variables`` and ``tensors``, always in the same order."""

    def __init__(self, plan_for: Callable[[type], Plan], masked: frozenset[int] = frozenset()) -> None:
        self._plan_for = plan_for
        #: Objects (by id) that are met and not looked into.
        self._masked = masked
        self._out: list[str] = []
        self._starts: list[int] = []
        self._numbers: dict[int, int] = {}
        #: Every object met, by number. It also keeps them alive, so that no id is used twice.
        self._objects: list[Any] = []
        self._held: dict[int, Held] = {}
        self._parents: list[int] = []
        self._labels: list[str] = []
        self._queue: deque[int] = deque()
        self._shared: dict[int, int] = {}
        self._current = -1
        #: Attributes that no code met so far has a name for: they are followed once some code does.
        self._parked: dict[str, list[tuple[int, Any]]] = {}
        #: What only code that has one of certain names asks for; a computed name is not one of these.
        self._asked: list[tuple[frozenset[str], int, str, Any]] = []
        self._names: set[str] = set(_ASKED_BY_PYTHON)
        self._all_names = False
        self._all_makers = False
        self.variables: list[Any] = []
        self.tensors: list[Any] = []
        self.functions: list[Any] = []
        self.codes: set[Any] = set()
        #: Marks that a trace may leave on objects without reading them: object and name of the attribute.
        self.latches: list[tuple[Any, str]] = []
        #: Lists of tensors that calls have left behind, and what was in each; see ``leftovers``.
        self.leftovers: list[tuple[list[Any], list[list[Any]]]] = []

    # -- what plans use --------------------------------------------------------------------------------------

    def emit(self, text: str) -> None:
        """Adds to the record of the object at hand. The text must be unambiguous (``repr`` of strings)."""
        self._out.append(text)

    def child(self, label: str, value: Any) -> None:
        """Adds a value of the object at hand: small ones as they are, others as a number."""
        self._out.append(label)
        self._out.append(self._token(label, value))
        if issubclass(type(value), type) and label not in _TYPE_LABELS:
            # Code has the class itself, not only instances of it: it can make new ones.
            self.know(making(base) for base in value.__mro__)

    def named(self, name: str, value: Any) -> None:
        """An attribute that only code which knows its name can read."""
        known = self._all_names and not name.startswith(_INSIDE)
        if known or name in self._names or (self._all_makers and name.startswith(_NEW)):
            self.child(_label(name), value)
        else:
            self._parked.setdefault(name, []).append((self._current, value))

    def asked(self, names: frozenset[str], label: str, value: Any) -> None:
        """What is read by these names only, and never by computed ones: documentation, annotations, lines."""
        if names & self._names:
            self.child(label, value)
        else:
            self._asked.append((names, self._current, label, value))

    def know(self, names: Any) -> None:
        """Some code that was met has these names: it may read attributes called so."""
        new = [name for name in names if name not in self._names]
        self._names.update(new)
        for name in new:
            for owner, value in self._parked.pop(name, ()):
                self._late(owner, _label(name), value)
        if self._asked and not RARELY_ASKED.isdisjoint(new):
            waiting, self._asked = self._asked, []
            for rest in waiting:
                if rest[0] & self._names:
                    self._late(*rest[1:])
                else:
                    self._asked.append(rest)

    def know_makers(self) -> None:
        """Some code can make instances of any class that it has an instance of."""
        self._all_makers = True
        for name in [name for name in self._parked if name.startswith(_NEW)]:
            for owner, value in self._parked.pop(name):
                self._late(owner, _label(name), value)

    def know_all(self) -> None:
        """Some code can read attributes by names that are computed: nothing may be left out."""
        if not self._all_names:
            self._all_names = True
            for name in [name for name in self._parked if not name.startswith(_INSIDE)]:
                for owner, value in self._parked.pop(name):
                    self._late(owner, _label(name), value)

    def number(self) -> int:
        """The number of the object at hand."""
        return self._current

    def shared(self, address: int) -> int:
        """A number in place of an address that was written down: the same for the same one."""
        return self._shared.setdefault(address, len(self._shared))

    def held(self, module: types.ModuleType) -> Held:
        """The one stand-in for this module."""
        return self._held.setdefault(id(module), Held(module))

    # -- what callers use ------------------------------------------------------------------------------------

    def run(self, label: str, root: Any) -> None:
        """Walks from one more root."""
        try:
            self._out.append(f"root {label}")
            self._out.append(self._token(label, root))
            while self._queue:
                self._current = self._queue.popleft()
                value = self._objects[self._current]
                self._starts[self._current] = len(self._out)
                self._out.append(f"@{self._current}")
                if id(value) not in self._masked:
                    self._plan_for(type(value))(self, value)
            self._current = -1
        except Unfit as problem:
            problem.path = problem.path or self.path(self._current)
            raise

    def digest(self) -> str:
        # Of what was left behind the name is nobody's business: it cannot be used, only counted.
        left = [[kind for _, *kind in was] for _, was in self.leftovers]
        return hashlib.blake2b(f"{self.digest_besides()} {left}".encode(), digest_size=32).hexdigest()

    def digest_besides(self) -> str:
        """Without what calls have left behind, which is not the same after a trace as before it."""
        return hashlib.blake2b(
            "\x1f".join(self._out).encode("utf-8", "surrogatepass"), digest_size=32
        ).hexdigest()

    def size(self) -> int:
        return len(self._objects)

    def tokens(self) -> list[str]:
        """The walk itself, as text."""
        return list(self._out)

    def objects(self) -> list[Any]:
        """Every object met, by number."""
        return list(self._objects)

    def object(self, number: int) -> Any:
        return self._objects[number]

    def number_of(self, value: Any) -> int | None:
        return self._numbers.get(id(value))

    def path(self, number: int) -> str:
        """How the object was reached, for people."""
        parts: list[str] = []
        while number >= 0:
            parts.append(self._labels[number])
            number = self._parents[number]
        return "".join(reversed(parts))

    def table(self) -> list[tuple[str, str]]:
        """Path and short digest of every object: to say what differs between two walks.

        The numbers are left out: one new object shifts all that come after it.
        """
        order = sorted(range(len(self._starts)), key=self._starts.__getitem__)
        ends = {n: self._starts[m] for n, m in itertools.pairwise(order)}
        rows = []
        for number in range(len(self._objects)):
            record = self._out[self._starts[number] : ends.get(number, len(self._out))]
            text = "\x1f".join("#" if part[:1] in "#@" else part for part in record)
            digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
            rows.append((self.path(number), digest))
        return rows

    def record(self, number: int) -> list[str]:
        """The raw record of an object, for debugging and for tests."""
        start = self._starts[number]
        after = [s for s in self._starts if s > start]
        return self._out[start : min(after, default=len(self._out))]

    # -- inside ----------------------------------------------------------------------------------------------

    def _is_held(self, label: str) -> bool:
        """Not where code names it itself, or where another module has it: there it is known what is read on it."""
        if self._current < 0 or label[:1] in "/<":
            return False
        return not issubclass(type(self._objects[self._current]), (types.ModuleType, Held))

    def _late(self, owner: int, label: str, value: Any) -> None:
        here, self._current = self._current, owner
        self._out.append(f"late {owner}{label}")
        self._out.append(self._token(label, value))
        self._current = here

    def _token(self, label: str, value: Any) -> str:
        kind = type(value)
        if kind in _SMALL:
            # There are several numbers that are none, and they print alike.
            if kind in (float, complex) and value != value:
                return f"{_SMALL[kind]}{_bits(value)}"
            return f"{_SMALL[kind]}{value!r}"
        if value is None or value is Ellipsis or value is NotImplemented:
            return repr(value)
        if kind is types.ModuleType and self._is_held(label):
            value = self.held(value)
        number = self._numbers.get(id(value))
        if number is None:
            number = len(self._objects)
            self._numbers[id(value)] = number
            self._objects.append(value)
            self._starts.append(0)
            self._parents.append(self._current)
            self._labels.append(label)
            self._queue.append(number)
        return f"#{number}"


#: ``dict(mine)`` and ``**mine`` call the first, ``np.zeros(3, mine)`` reads the second, and none has a name for it. The
#: rest is what NumPy and Python ask of whatever may be an array or a number: ``np.amax(mine)`` calls ``mine.max``.
_ASKED_BY_PYTHON = (
    *("keys", "dtype"),
    *("shape", "ndim", "size", "real", "imag", "conjugate", "max", "min", "round"),
    *("as_integer_ratio", "numerator", "denominator"),
)

#: Labels under which an instance or a class names a class, without giving code a hold of it.
_TYPE_LABELS = frozenset({"class", "base", "metaclass"})


def _bits(value: complex) -> str:
    return struct.pack("dd", value.real, value.imag).hex()


def _label(name: str) -> str:
    return ".__init__" if name.startswith(_NEW) else "." + name.removeprefix(_INSIDE)


def inside(name: str) -> str:
    """The name under which a module inside of another waits until code reads it as an attribute."""
    return _INSIDE + name


def making(kind: type) -> str:
    """The name under which a class's ``__init__`` waits until code can make instances."""
    return f"{_NEW}{id(kind)}"


#: Written in place: their identity is nobody's business, and ``repr`` gives back the very value.
_SMALL: dict[type, str] = {int: "i", float: "f", str: "s", bool: "b", bytes: "y", complex: "c"}
