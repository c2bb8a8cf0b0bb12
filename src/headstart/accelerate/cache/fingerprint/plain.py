"""Plans for Python's own values and containers."""

from __future__ import annotations

import collections
import enum
import functools
import gc
import logging
import os
import random
import re
import threading
import types
import weakref
from typing import Any

from . import origin
from .walk import Unfit, Walk

_ABSENT = object()


def sequence(walk: Walk, value: Any) -> None:
    walk.emit(type(value).__name__)
    for part in _iterated(value):
        walk.child("[]", part)


def _iterated(value: Any) -> Any:
    """What it really holds: a class of the program's may show something else, and its code is not ours to run."""
    for kind in (list, tuple, collections.deque, set, frozenset):
        if issubclass(type(value), kind):
            return kind.__iter__(value)
    return iter(value)


def _items(value: Any) -> Any:
    if issubclass(type(value), collections.OrderedDict):  # which has an order of its own
        return ((key, dict.__getitem__(value, key)) for key in collections.OrderedDict.__iter__(value))
    return dict.items(value) if issubclass(type(value), dict) else value.items()


def queue(walk: Walk, value: Any) -> None:
    walk.emit(f"at most {value.maxlen}")
    sequence(walk, value)


def mapping(walk: Walk, value: Any) -> None:
    # In order: code that iterates sees the order.
    walk.emit("dict")
    for key, part in _items(value):
        walk.child("key", key)
        if type(key) is str and key == _SHARED and type(part) is int and type(value) is dict:
            walk.emit(f"shared {walk.shared(part)}")
        else:
            walk.child(f"[{key!r}]" if type(key) in (str, int) else "[…]", part)


#: In the configurations that Keras writes of objects: the address that one had, to tell which are the same one.
_SHARED = "shared_object_id"


def view_of_mapping(walk: Walk, value: types.MappingProxyType[Any, Any]) -> None:
    # There is no other way to what it shows, which may be a dictionary of a kind of its own.
    walk.emit("view")
    walk.child("", gc.get_referents(value)[0])


def default_mapping(walk: Walk, value: Any) -> None:
    walk.child("default", value.default_factory)
    mapping(walk, value)


def unordered(walk: Walk, value: Any) -> None:
    """In order where every run of the program has the same: that of numbers comes from how the set was made. Text is in
    another order in every process, so that none is a promise."""
    walk.emit(type(value).__name__)
    members = [(_member(part), part) for part in _iterated(value)]
    if not (os.environ.get("PYTHONHASHSEED", "").isdigit() or all(_has_fixed_place(p) for _, p in members)):
        members.sort(key=lambda member: member[0])
    kinds = [kind for _, part in members for kind in _classes_in(part)]
    if len({(kind.__module__, kind.__qualname__) for kind in kinds}) < len(set(map(id, kinds))):
        raise Unfit("a set holds several classes of one name")
    for text, _ in members:
        walk.emit(text)
    for kind in kinds:
        walk.child("{}", kind)


def _classes_in(part: Any) -> list[type]:
    if type(part) is tuple:
        return [kind for inner in part for kind in _classes_in(inner)]
    return [part] if issubclass(type(part), type) else []


def _has_fixed_place(part: Any) -> bool:
    return type(part) in (int, float, bool, complex) or (
        type(part) is tuple and all(map(_has_fixed_place, part))
    )


def _member(part: Any) -> str:
    if part is None or type(part) in (int, float, str, bool, bytes, complex):
        return f"{type(part).__name__} {part!r}"
    if type(part) is tuple:
        return "(" + ",".join(_member(inner) for inner in part) + ")"
    if issubclass(type(part), type):
        return f"type {part.__module__}.{part.__qualname__}"
    raise Unfit(f"a set holds a {type(part).__qualname__}, whose place in it is not stable")


def by_repr(walk: Walk, value: Any) -> None:
    """Values whose text is their whole content."""
    walk.emit(f"{type(value).__module__}.{type(value).__qualname__} {value!r}")


def pattern(walk: Walk, value: re.Pattern[Any]) -> None:
    # Its own text leaves out the end of a long one.
    walk.emit(f"re.Pattern {value.flags} {value.pattern!r}")


def part_of(walk: Walk, value: slice) -> None:
    walk.emit("slice")
    for name in ("start", "stop", "step"):
        walk.child("." + name, getattr(value, name))


def field_of_a_tuple(walk: Walk, value: Any) -> None:
    walk.emit(f"field {value.__reduce__()[1][0]}")


def by_type(walk: Walk, value: Any) -> None:
    """Objects that have no content of their own (locks, sentinels)."""
    walk.emit(f"a {type(value).__module__}.{type(value).__qualname__}")


#: On every member, whatever its class is.
_ENUM_OWN = frozenset({"_name_", "__objclass__", "_sort_order_"})


def enum_member(walk: Walk, value: enum.Enum) -> None:
    walk.emit(f"member {value.name}")
    walk.child("class", type(value))
    for base, of_container in ((list, sequence), (dict, mapping), (set, unordered)):
        if issubclass(type(value), base):  # its value is what it was made of, not what it holds since
            of_container(walk, value)
    for name, content in list(vars(value).items()):
        if name == "_value_":
            walk.child("._value_", content)
        elif name not in _ENUM_OWN:
            walk.named(name, content)


def partial(walk: Walk, value: functools.partial[Any]) -> None:
    walk.emit("partial")
    walk.child(".func", value.func)
    walk.child(".args", value.args)
    walk.child(".keywords", value.keywords)
    put_on(walk, value)


def put_on(walk: Walk, value: Any, own: frozenset[str] = frozenset()) -> None:
    """What somebody has put on an object of Python's, beside what it has of its ``own``."""
    for name, content in list(vars(value).items()):
        if name not in own:
            walk.named(name, content)


def cached_function(walk: Walk, value: Any) -> None:
    # What it remembers was computed in a state that may be gone, and it remembers more after a trace.
    code = getattr(value.__wrapped__, "__code__", None)
    user = code is None or origin.of_file(code.co_filename) == origin.USER
    walk.emit(f"lru_cache {value.cache_info().currsize if user else ''}")
    if user and value.cache_info().currsize:
        raise Unfit(f"it can reach results kept by functools.cache ({value.__wrapped__.__qualname__})")
    walk.emit(f"{sorted(value.cache_parameters().items())}")
    walk.child(".__wrapped__", value.__wrapped__)
    copied = getattr(value.__wrapped__, "__dict__", {})
    same = (name for name, content in vars(value).items() if copied.get(name, _ABSENT) is content)
    put_on(walk, value, frozenset({"__wrapped__", "cache_parameters", *same}))


def weak(walk: Walk, value: weakref.ref[Any]) -> None:
    walk.emit("weakref")
    walk.child("()", value())
    called = getattr(getattr(value, "__callback__", None), "__code__", None)
    if called is not None and origin.of_file(called.co_filename) == origin.USER:
        walk.child(".__callback__", value.__callback__)


def cell(walk: Walk, value: types.CellType) -> None:
    try:
        content = value.cell_contents
    except ValueError:
        walk.emit("empty cell")
    else:
        walk.emit("cell")
        walk.child("", content)


def thread_local(walk: Walk, value: Any) -> None:
    """What this thread has put there."""
    walk.emit("thread local")
    mapping(walk, vars(value))


def generator_of_numbers(walk: Walk, value: random.Random) -> None:
    # Drawing from it while tracing changes its state, which is seen afterwards.
    walk.emit("random.Random")
    walk.child(".state", value.getstate())
    put_on(walk, value, frozenset({"gauss_next"}))


#: ``manager`` is set on those that were asked for by name.
OF_EVERY_LOGGER = frozenset({*vars(logging.Logger("")), "manager"})


def logger(walk: Walk, value: logging.Logger) -> None:
    # Whether it says anything while tracing is seen by the recording.
    walk.emit(f"logger {value.name!r} {value.getEffectiveLevel()} {value.disabled}")
    put_on(walk, value, OF_EVERY_LOGGER)


def unfit(walk: Walk, value: Any) -> None:
    kind = type(value)
    raise Unfit(f"it can reach a {kind.__module__}.{kind.__qualname__}, whose content cannot be told")


_FIELD = type(collections.namedtuple("_One", "field").field)  # type: ignore[attr-defined]
EXACT: dict[type, Any] = {
    list: sequence,
    tuple: sequence,
    collections.deque: queue,
    dict: mapping,
    collections.OrderedDict: mapping,
    collections.Counter: mapping,
    collections.defaultdict: default_mapping,
    types.MappingProxyType: view_of_mapping,
    set: unordered,
    frozenset: unordered,
    range: by_repr,
    slice: part_of,
    re.Pattern: pattern,
    _FIELD: field_of_a_tuple,
    bytearray: by_repr,
    types.SimpleNamespace: lambda walk, value: mapping(walk, vars(value)),
    functools.partial: partial,
    type(functools.lru_cache(lambda: None)): cached_function,
    weakref.ref: weak,
    weakref.ReferenceType: weak,
    types.CellType: cell,
    logging.Logger: logger,
    logging.RootLogger: logger,
    object: by_type,
    threading.local: thread_local,
    random.Random: generator_of_numbers,
}

BASES: list[tuple[type, Any]] = [
    (enum.Enum, enum_member),
    (weakref.ref, weak),
]
