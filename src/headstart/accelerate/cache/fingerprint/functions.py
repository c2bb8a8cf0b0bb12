"""Plans for what holds code: functions, methods, modules, builtins."""

from __future__ import annotations

import builtins
import linecache
import os
import sys
import types
from typing import Any

from . import bytecode, classes, modules, origin, stdlib
from .asked import OF_ANNOTATIONS, OF_MODULES, OF_PLACES, OF_TEXT, OF_THE_HOME
from .walk import Held, Unfit, Walk, inside

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
        modules.refuse(walk, stdlib.why_not_object(home, code.co_name))
        modules.know_all_for(walk, home, code.co_name)
        walk.know((code.co_name,))  # whatever the program calls it
    elif code.co_name in modules.SEEDING:
        raise Unfit(f"it can set a seed ({value.__module__}.{code.co_name}) while it is traced")
    else:
        walk.know((code.co_name,))  # ``np.mean(mine)`` calls ``mine.mean``
    # By name: the version says what it does. What it closes over is not the library's.
    walk.emit(f"library {value.__module__}:{value.__qualname__}:{code.co_name}:{code.co_firstlineno}")
    _held(walk, value, False)


def user_function(walk: Walk, value: types.FunctionType) -> None:
    code = value.__code__
    found = bytecode.facts(code)
    walk.codes.add(code)
    walk.emit(f"function {value.__name__!r} {value.__qualname__!r} {found.digest}")
    if not _has_source(code.co_filename):
        walk.emit("without source")
    walk.asked(OF_TEXT, ".__doc__", value.__doc__)
    walk.asked(OF_ANNOTATIONS, ".__annotations__", value.__annotations__)
    walk.asked(OF_PLACES, ".__code__", (code.co_filename, code.co_firstlineno, code.co_linetable))
    walk.asked(OF_THE_HOME, ".__module__", value.__module__)
    if "__subclasses__" in found.names:
        raise Unfit("it asks which classes there are")
    if _OF_NAMESPACES & found.names:
        raise Unfit("it reads the names of a module, or of a function that runs, by computed text")
    _held(walk, value, True)
    _names(walk, found)
    if found.names & stdlib.OF_ARGUMENTS:
        walk.know_all()  # it sets attributes of what it is given
        walk.child("/sys.argv", list(sys.argv))
    for name, module_around in modules.around(value):
        modules.used(walk, name, module_around, found.chains.get(name, frozenset()), found.names)
    for name in found.globals:
        _global(walk, value.__globals__, name, found)
    for name, level, wanted in found.imports:
        _imported(walk, value.__globals__, name, level, wanted)


#: All names of a module, or of a function that runs, as a dictionary.
_OF_NAMESPACES = frozenset({"__globals__", "f_globals", "f_locals", "f_back"})


def _has_source(filename: str) -> bool:
    """Where AutoGraph can read it: code that it cannot (``python -c``) is traced as it stands, whatever it does."""
    return filename in linecache.cache or (filename[:1] != "<" and os.path.exists(filename))


def _held(walk: Walk, value: types.FunctionType, of_user: bool) -> None:
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
    if _converts(value):
        return
    # functools.wraps copies all attributes of what it wraps; they are met there, unless they were set again since.
    copied = getattr(value.__dict__.get("__wrapped__"), "__dict__", {})
    for name, attribute in value.__dict__.items():
        as_copied = name in copied and (copied[name] is attribute or not of_user)
        if name == "__wrapped__" or not (as_copied or name.startswith("_api_export_")):
            walk.child("." + name, attribute)


def _converts(value: types.FunctionType) -> bool:
    """What TensorFlow puts around a function to have AutoGraph convert it.

    What it calls it closes over. Its attributes are those of that, and a chain: each time that a method is to be traced
    another such function is hung on the one before, and nothing calls it there.
    """
    return (
        value.__code__.co_name == "autograph_handler"
        and value.__globals__.get("__name__") == "tensorflow.python.eager.polymorphic_function.autograph_util"
    )


def _names(walk: Walk, found: bytecode.Facts) -> None:
    walk.know(sorted(found.names))
    walk.know(inside(name) for name in sorted(found.reads))
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
            modules.refuse(walk, stdlib.why_not_object("builtins", name))
    if issubclass(type(value), types.ModuleType):
        modules.used(walk, name, value, found.chains.get(name, frozenset()), found.names)
        if name in found.stores and origin.of_module(value.__name__) != origin.USER:
            raise Unfit(f"it changes the module {value.__name__}")
    walk.child(f"/{name}", value)


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
        modules.refuse(
            walk, stdlib.why_not_module(name, frozenset((part,) for part in wanted) or frozenset({()}))
        )
    if origin.of_module(name) != origin.USER:
        walk.child(f"/import {name}", module)
        for part in wanted:
            walk.child(f"/import {name}.{part}", getattr(module, part, None))
        return
    # Any object can lie there: its class is met with it, and what that has for the names that are wanted.
    walk.child(f"/import {name}", walk.held(module) if type(module) is types.ModuleType else module)
    for part in wanted:
        # Not getattr: a module that answers for names that are not there would run.
        value: Any = classes.own_attributes(module).get(part, sys.modules.get(f"{name}.{part}"))
        if type(value) is types.ModuleType:
            value = walk.held(value)
        walk.child(f"/import {name}.{part}", value)


def method(walk: Walk, value: types.MethodType) -> None:
    walk.emit("method")
    walk.child(".__func__", value.__func__)
    walk.child(".__self__", value.__self__)


def builtin(walk: Walk, value: Any) -> None:
    """A function in C: by name, when its module is known to be a function of its arguments."""
    owner = getattr(value, "__self__", None)
    name = value.__qualname__
    if name.rpartition(".")[2] == "__subclasses__":
        raise Unfit("it asks which classes there are")
    if name.rpartition(".")[2] in bytecode.REFLECTIVE_METHODS:
        walk.know_all()  # ``get = c.__getattribute__``, ``show = "{0.a}".format``
    if owner is not None and not issubclass(type(owner), types.ModuleType):
        walk.emit(f"builtin method {name}")
        walk.child(".__self__", owner)
        return
    if hasattr(value, "__objclass__"):  # as it lies in a class
        walk.emit(f"builtin member {name}")
        walk.child(".__objclass__", value.__objclass__)
        return
    module = value.__module__ or (owner.__name__ if owner is not None else "")
    source = origin.of_module(module or "builtins")
    if source == origin.USER:
        raise Unfit(f"it can reach {module}.{name}, a compiled function that nothing is known about")
    if source == origin.STDLIB:
        modules.refuse(walk, stdlib.why_not_object(module, name.partition(".")[0]))
        modules.know_all_for(walk, module, name)
    walk.emit(f"builtin {module}:{name}")


def wrapped_member(walk: Walk, value: Any) -> None:
    """``staticmethod`` and ``classmethod`` as they lie in a class."""
    walk.emit(type(value).__name__)
    walk.child(".__func__", value.__func__)
    if isinstance(value, classmethod) and bytecode.hands_on_its_class(value.__func__):
        walk.know_makers()


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
    for name, content in list(object.__getattribute__(value, "__dict__").items()):
        if name == "__getattr__":  # answers for every name that is not there
            walk.child(".__getattr__", content)
        elif name in OF_MODULES:
            walk.asked(frozenset({name}), "." + name, content)
        elif name not in _MODULE_OWN:
            walk.named(name, content)


def held_module(walk: Walk, value: Held) -> None:
    """Of Python's own only those that are harmless as a whole pass; inside of one of the program's likewise."""
    walk.emit("held")
    walk.child("", value.module)
    home = value.module.__name__
    if origin.of_module(home) == origin.STDLIB:
        modules.refuse(walk, stdlib.why_not_module(home, frozenset({()})))
    elif origin.of_module(home) == origin.USER:
        for name, content in list(vars(value.module).items()):
            if type(content) is types.ModuleType:
                walk.named(inside(name), walk.held(content))


_MODULE_OWN = frozenset(
    {"__name__", "__loader__", "__spec__", "__builtins__", "__warningregistry__"}
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
    Held: held_module,
    staticmethod: wrapped_member,
    classmethod: wrapped_member,
    property: property_member,
}

BASES: list[tuple[type, Any]] = [(types.ModuleType, module), (property, property_member)]
