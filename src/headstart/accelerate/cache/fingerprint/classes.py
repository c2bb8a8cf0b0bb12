"""Plans for classes and for instances of classes written in Python."""

from __future__ import annotations

import collections
import contextlib
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from . import abstract, bytecode, leftovers, modules, origin, stdlib
from .asked import OF_ANNOTATIONS, OF_PARAMETERS, OF_SLOTS, OF_TEXT
from .walk import Unfit, Walk, making

#: In every class dictionary, and no business of a trace.
_CLASS_OWN = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__", "__annotations__",
     "__static_attributes__", "__abstractmethods__", "_abc_impl", "__orig_bases__", "__parameters__",
     "__annotate__", "__annotate_func__", "__type_params__", "__slots__"}
)  # fmt: skip

#: What a generic class was made of: whoever wants that asks for it by one of a few names.
_GENERIC = ("__orig_bases__", "__parameters__", "__type_params__")

#: Attributes of library classes that do not bear on a trace, by the class that sets them (see ``libraries``).
IGNORED: dict[str, frozenset[str]] = {
    # By the address of the module; by its name they are there as well.
    "absl.flags._flagvalues.FlagValues": frozenset({"__flags_by_module_id"}),
}
#: Attributes of library classes that bear on a trace only where code has their very names.
ASKED: dict[str, frozenset[str]] = {}
#: Attributes of library classes that a trace sets and that a program sees later: not read, but set again on replay.
LATCHED: dict[str, frozenset[str]] = {}
#: Attributes of library classes in which calls leave tensors behind.
LEFT: dict[str, frozenset[str]] = {}
#: Attributes for which ``None`` and not being there are one and the same.
NONE_IS_ABSENT: dict[str, frozenset[str]] = {}


def klass(walk: Walk, value: type) -> None:
    source = origin.of_class(value)
    if source != origin.USER or not value.__flags__ & _HEAP:
        if source == origin.STDLIB and value.__module__ != "builtins":
            reason = stdlib.why_not_class(value.__module__, value.__qualname__)
            if reason is not None:
                raise Unfit(reason)
            modules.know_all_for(walk, value.__module__, value.__qualname__)
        walk.emit(f"class {value.__module__}:{value.__qualname__}")
        return
    if not _in_python(value):
        raise Unfit(f"it can reach {value.__module__}.{value.__qualname__}, a compiled class")
    walk.emit(f"user class {value.__module__!r} {value.__name__!r} {value.__qualname__!r}")
    walk.child("metaclass", type(value))
    for base in value.__bases__:
        walk.child("base", base)
    walk.know(name for name in value.__dict__.get("__match_args__", ()) if isinstance(name, str))
    # ``tf.nest`` takes apart what ``attrs`` has made, by the names of its fields.
    walk.know(str(getattr(one, "name", "")) for one in value.__dict__.get("__attrs_attrs__", ()))
    walk.asked(OF_TEXT, ".__doc__", value.__dict__.get("__doc__"))
    walk.asked(OF_ANNOTATIONS, ".__annotations__", vars(value).get("__annotations__"))
    walk.asked(OF_SLOTS, ".__slots__", vars(value).get("__slots__"))
    walk.emit(f"to be defined: {sorted(vars(value).get('__abstractmethods__', ()))}")
    if vars(value).get("_is_protocol"):
        # ``isinstance`` looks for all of them, by names that no code has.
        walk.know(
            name for name in (*vars(value), *vars(value).get("__annotations__", ())) if name[:2] != "__"
        )
    for name in _GENERIC:
        walk.asked(OF_PARAMETERS, "." + name, vars(value).get(name))
    for heir in abstract.registered(value):
        walk.child("registered", heir)
    inherited = _library_names(value)
    own_family = not any(origin.of_class(b) == origin.LIBRARY for b in value.__mro__)
    for name, member in list(value.__dict__.items()):
        if name in _CLASS_OWN or type(member) in _DESCRIPTORS:
            continue
        if name in bytecode.MAKING and own_family:
            walk.named(making(value), member)
        elif name in inherited or (name.startswith("__") and name.endswith("__")):
            # The interpreter or the library can call it without any code of the user's naming it.
            walk.child("." + name, member)
        else:
            walk.named(name, member)


def _library_names(value: type) -> set[str]:
    names: set[str] = set()
    for base in value.__mro__:
        if origin.of_class(base) != origin.USER and base is not object:
            names.update(base.__dict__)
    return names


#: Through these NumPy reads memory that nobody else knows of.
_ADDRESSES = frozenset({"__array_interface__", "__array_struct__", "__cuda_array_interface__"})
_HEAP = 1 << 9
_NOT_TO_BE_MADE = 1 << 7
#: Modules of TensorFlow's whose objects stand for functions and hold nothing.
_STATELESS = frozenset({"tensorflow.python.framework._pywrap_python_api_dispatcher"})
_OF_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)
_DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def _in_python(value: type) -> bool:
    """Made by a class statement, as far as its module tells."""
    place = getattr(sys.modules.get(value.__module__), "__file__", None) or ""
    return bool(value.__flags__ & _HEAP) and not place.endswith((".so", ".pyd"))


def _in_c(value: type) -> bool:
    """Content that only C can see: an iterator, a generator of numbers, an open file. Releases of Python mark such
    classes in different ways, but all have methods of C's own, which no class statement makes."""
    if value is typing.Generic:  # in C since Python 3.12, and holds nothing
        return False
    made = value.__dict__.get("__new__")
    return (
        isinstance(made, types.BuiltinFunctionType)
        or bool(value.__flags__ & _NOT_TO_BE_MADE)
        or any(type(one) in _OF_C and one.__objclass__ is value for one in value.__dict__.values())
    )


def instance_plan(kind: type) -> Callable[[Walk, Any], None]:
    """How instances of this class are walked; decided once per class."""
    for base in kind.__mro__:
        source = origin.of_class(base)
        if (
            base.__module__ == "pybind11_builtins"
        ):  # what all classes are made of that it makes, TensorFlow's too
            compiled = kind.__module__ not in _STATELESS
        elif source == origin.LIBRARY:
            compiled = False
        else:
            compiled = _in_c(base) or (source == origin.USER and not _in_python(base))
        if base is not object and (compiled or not base.__flags__ & _HEAP):
            return _refuse_compiled(kind, base)
    sources = {origin.of_class(base) for base in kind.__mro__ if base is not object}
    ignored, latched, left, absent, asked = (
        _names_for(kind, table) for table in (IGNORED, LATCHED, LEFT, NONE_IS_ABSENT, ASKED)
    )
    slots = [name for base in kind.__mro__ for name in _slots_of(base) if name not in ignored]
    if any(type(vars(one).get("__dict__", one)) not in (*_DESCRIPTORS, type(one)) for one in kind.__mro__):
        return _refuse_hidden(kind)
    # Library code may read any attribute of its own objects; of the user's, only code that has the name.
    only_user = sources == {origin.USER}
    label = f"{kind.__module__}:{kind.__qualname__}" if origin.USER not in sources else None

    def instance(walk: Walk, value: Any) -> None:
        if label is None:
            walk.emit("instance")
            walk.child("class", kind)
        else:
            walk.emit(f"instance of {label}")
        for name in slots:
            try:
                content = object.__getattribute__(value, name)
            except AttributeError:
                continue
            walk.child("." + name, content)
        own = own_attributes(value)
        if own:
            for name, content in list(own.items()):
                if name in ignored or (content is None and name in absent):
                    continue
                if name in asked:
                    walk.asked(frozenset({name}), "." + name, content)
                elif name in latched:
                    walk.latches.append((value, name))
                elif name in left:
                    leftovers.left(walk, name, content)
                elif name in _ADDRESSES:
                    raise Unfit(f"it can reach an object that says where its content lies in memory ({name})")
                elif only_user and not (name.startswith("__") and name.endswith("__")):
                    walk.named(name, content)
                else:
                    walk.child("." + name, content)

    return instance


def own_attributes(value: Any) -> dict[str, Any]:
    """Without asking its class, which may count how often it is asked."""
    try:
        found: dict[str, Any] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found


def _names_for(kind: type, table: dict[str, frozenset[str]]) -> set[str]:
    names: set[str] = set()
    for base in kind.__mro__:
        names |= table.get(f"{base.__module__}.{base.__qualname__}", frozenset())
    return names


def _slots_of(base: type) -> list[str]:
    slots = base.__dict__.get("__slots__", ())
    slots = (slots,) if isinstance(slots, str) else tuple(slots)
    prefix = "_" + base.__name__.lstrip("_")
    return [
        prefix + name if name.startswith("__") and not name.endswith("__") else name
        for name in slots
        if name not in ("__dict__", "__weakref__")
    ]


def _refuse_compiled(kind: type, base: type) -> Callable[[Walk, Any], None]:
    name = f"{kind.__module__}.{kind.__qualname__}"

    def refuse(walk: Walk, value: Any) -> None:
        raise Unfit(
            f"it can reach a {name} (made of {base.__module__}.{base.__qualname__}), which cannot be told apart"
        )

    return refuse


def _refuse_hidden(kind: type) -> Callable[[Walk, Any], None]:
    def refuse(walk: Walk, value: Any) -> None:
        raise Unfit(f"it can reach a {kind.__qualname__}, which has a __dict__ of its own making")

    return refuse


def container_instance(
    kind: type, base: type, content: Callable[[Walk, Any], None]
) -> Callable[[Walk, Any], None]:
    """A subclass of a builtin container: its content, and what else was put on it."""

    slots = [name for one in kind.__mro__ for name in _slots_of(one)]

    def walk_it(walk: Walk, value: Any) -> None:
        walk.emit("container")
        walk.child("class", kind)
        if issubclass(kind, collections.defaultdict):
            walk.child("default", value.default_factory)
        content(walk, value)
        for name in slots:
            with contextlib.suppress(AttributeError):  # never set
                walk.child("." + name, object.__getattribute__(value, name))
        for name, attribute in list(own_attributes(value).items()):
            walk.child("." + name, attribute)

    return walk_it
