"""Plans for what holds code: functions, methods, modules, builtins."""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

from . import bytecode, origin, stdlib
from .walk import OF_ANNOTATIONS, OF_PLACES, OF_TEXT, Unfit, Walk

_ABSENT = object()


def function(walk: Walk, value: types.FunctionType) -> None:
    code = value.__code__
    source = origin.of_file(code.co_filename)
    if source == origin.USER:
        user_function(walk, value)
        return
    if source == origin.STDLIB:
        # Not ``__module__``: a wrapper takes that from what it wraps.
        home = str(value.__globals__.get("__name__", ""))
        _refuse(walk, stdlib.why_not_object(home, code.co_name))
    # By name: the version says what it does. What it closes over is not the library's.
    walk.emit(f"library {value.__module__}:{value.__qualname__}:{code.co_name}:{code.co_firstlineno}")
    _held(walk, value)


def user_function(walk: Walk, value: types.FunctionType) -> None:
    code = value.__code__
    found = bytecode.facts(code)
    walk.codes.add(code)
    walk.emit(f"function {value.__name__!r} {value.__qualname__!r} {found.digest}")
    walk.asked(OF_TEXT, ".__doc__", value.__doc__)
    walk.asked(OF_ANNOTATIONS, ".__annotations__", value.__annotations__)
    walk.asked(OF_PLACES, ".__code__", (code.co_filename, code.co_firstlineno, code.co_linetable))
    if "__subclasses__" in found.names:
        raise Unfit("it asks which classes there are")
    _held(walk, value)
    _names(walk, found)
    for name in found.globals:
        _global(walk, value.__globals__, name, found)
    for name, level, wanted in found.imports:
        _imported(walk, value.__globals__, name, level, wanted)


def _held(walk: Walk, value: types.FunctionType) -> None:
    if value.__defaults__:
        walk.child("(defaults)", value.__defaults__)
    if value.__kwdefaults__:
        walk.child("(defaults)", value.__kwdefaults__)
    for name, held in zip(value.__code__.co_freevars, value.__closure__ or (), strict=False):
        try:
            content = held.cell_contents
        except ValueError:
            walk.emit(f"empty {name}")
        else:
            walk.child(f"<{name}>", content)
    # functools.wraps copies all attributes of what it wraps; they are met there.
    copied = getattr(value.__dict__.get("__wrapped__"), "__dict__", {})
    for name, attribute in value.__dict__.items():
        if name == "__wrapped__" or (name not in copied and not name.startswith("_api_export_")):
            walk.child("." + name, attribute)


def _names(walk: Walk, found: bytecode.Facts) -> None:
    walk.know(sorted(found.names))
    if found.makes:
        walk.know_makers()
    if found.reflective:
        walk.know_all()


def _global(walk: Walk, space: dict[str, Any], name: str, found: bytecode.Facts) -> None:
    value = space.get(name, _ABSENT)
    if value is _ABSENT:
        value = getattr(builtins, name, _ABSENT)
        if value is _ABSENT:
            walk.emit(f"no global {name}")
            return
        if name in stdlib.REFUSED_BUILTINS:
            _refuse(walk, stdlib.why_not_object("builtins", name))
    if isinstance(value, types.ModuleType):
        _module_use(walk, name, value, found)
        if name in found.stores and origin.of_module(value.__name__) != origin.USER:
            raise Unfit(f"it changes the module {value.__name__}")
    walk.child(f"/{name}", value)


def _module_use(walk: Walk, name: str, value: types.ModuleType, found: bytecode.Facts) -> None:
    home, chains = value.__name__, found.chains.get(name, frozenset())
    if origin.of_module(home) == origin.STDLIB:
        _refuse(walk, stdlib.why_not_module({"posixpath": "os.path"}.get(home, home), chains))
        if home in stdlib.REFLECTIVE:
            walk.know_all()
        if home == "logging" and found.names & stdlib.OF_A_LOGGER:
            raise Unfit("it asks for the level or the handlers of a logger")
        if home == "sys" and any(chain[:1] == ("argv",) for chain in chains):
            walk.child("/sys.argv", list(sys.argv))
        for part in sorted({chain[0] for chain in chains if chain}):
            _part_of_stdlib(walk, f"/{name}.{part}", vars(value).get(part))
    elif home.partition(".")[0] == "numpy":
        for chain in sorted(chains):
            _refuse_numpy_random(home, chain)


def _part_of_stdlib(walk: Walk, label: str, value: Any) -> None:
    """It stands by Python's version, unless somebody has put something else there."""
    code = getattr(value, "__code__", None)
    kind = type(value)
    if (isinstance(code, types.CodeType) and origin.of_file(code.co_filename) == origin.USER) or (
        kind in (bool, int, float, str, bytes) or origin.of_module(kind.__module__) == origin.USER
    ):
        walk.child(label, value)
    else:
        walk.emit(
            f"{label} {getattr(value, '__module__', '')}:{getattr(value, '__qualname__', kind.__name__)}"
        )


def _refuse_numpy_random(home: str, chain: tuple[str, ...]) -> None:
    path = (*home.split("."), *chain)
    if (
        path[:2] == ("numpy", "random")
        and len(path) > 2
        and path[2][:1].isupper() | (path[2] == "default_rng")
    ):
        raise Unfit(f"it makes random generators ({'.'.join(path)}) while it is traced")


def _imported(walk: Walk, space: dict[str, Any], name: str, level: int, wanted: tuple[str, ...]) -> None:
    """``import x`` inside a function: the module as it is now; one that is not loaded yet is new each time."""
    if level:
        package = (space.get("__package__") or "").split(".")
        base = package[: len(package) - (level - 1)]
        name = ".".join([*base, name] if name else base)
    module = sys.modules.get(name)
    if module is None:
        if origin.of_module(name) == origin.USER:
            raise Unfit(f"it imports {name}, which is not loaded yet")
        walk.emit(f"import {name}")
        return
    if origin.of_module(name) == origin.STDLIB:
        # What is read on it is not known here, so only modules that are harmless as a whole pass.
        _refuse(walk, stdlib.why_not_module(name, frozenset((part,) for part in wanted) or frozenset({()})))
    walk.child(f"/import {name}", module)
    for part in wanted:
        walk.child(f"/import {name}.{part}", getattr(module, part, None))


def method(walk: Walk, value: types.MethodType) -> None:
    walk.emit("method")
    walk.child(".__func__", value.__func__)
    walk.child(".__self__", value.__self__)


def builtin(walk: Walk, value: Any) -> None:
    """A function in C: by name, when its module is known to be a function of its arguments."""
    owner = getattr(value, "__self__", None)
    name = value.__qualname__
    if owner is not None and not isinstance(owner, types.ModuleType):
        walk.emit(f"builtin method {name}")
        walk.child(".__self__", owner)
        return
    if hasattr(value, "__objclass__"):  # as it lies in a class
        walk.emit(f"builtin member {name}")
        walk.child(".__objclass__", value.__objclass__)
        return
    module = value.__module__ or (owner.__name__ if isinstance(owner, types.ModuleType) else "")
    source = origin.of_module(module or "builtins")
    if source == origin.USER:
        raise Unfit(f"it can reach {module}.{name}, a compiled function that nothing is known about")
    if source == origin.STDLIB:
        _refuse(walk, stdlib.why_not_object(module, name.partition(".")[0]))
    walk.emit(f"builtin {module}:{name}")


def wrapped_member(walk: Walk, value: Any) -> None:
    """``staticmethod`` and ``classmethod`` as they lie in a class."""
    walk.emit(type(value).__name__)
    walk.child(".__func__", value.__func__)


def property_member(walk: Walk, value: property) -> None:
    walk.emit("property")
    if type(value) is not property:
        walk.child("class", type(value))
    for name in ("fget", "fset", "fdel"):
        walk.child("." + name, getattr(value, name))


def module(walk: Walk, value: types.ModuleType) -> None:
    if origin.of_module(value.__name__) != origin.USER:
        walk.emit(f"module {value.__name__}")
        return
    walk.emit(f"user module {value.__name__}")
    if type(value) is not types.ModuleType:  # its class can compute what it is asked for
        walk.child("class", type(value))
    for name, content in list(vars(value).items()):
        if name == "__getattr__":  # answers for every name that is not there
            walk.child(".__getattr__", content)
        elif name not in _MODULE_OWN:
            walk.named(name, content)


def _refuse(walk: Walk, reason: str | None) -> None:
    if reason is not None:
        raise Unfit(reason)


_MODULE_OWN = frozenset(
    {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__file__", "__cached__", "__builtins__",
     "__path__", "__warningregistry__", "__annotations__"}
)  # fmt: skip

EXACT: dict[type, Any] = {
    types.FunctionType: function,
    types.MethodType: method,
    types.BuiltinFunctionType: builtin,
    types.MethodWrapperType: builtin,
    types.WrapperDescriptorType: builtin,
    types.MethodDescriptorType: builtin,
    types.ClassMethodDescriptorType: builtin,
    types.ModuleType: module,
    staticmethod: wrapped_member,
    classmethod: wrapped_member,
    property: property_member,
}

BASES: list[tuple[type, Any]] = [(types.ModuleType, module), (property, property_member)]
