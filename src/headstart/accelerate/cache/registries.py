"""What a program has registered with the libraries, and with Python: code of its own that theirs finds and calls.

Conversions to tensors, operations for types of one's own, gradients, nodes of trees, names for ``deserialize``: all
lie in tables, which are a few levels deep or in C and which no code of the program's need name again.
"""

from __future__ import annotations

import copyreg
import sys
import types
from collections.abc import Iterator
from typing import Any

from .fingerprint import abstract, origin


def registered() -> list[tuple[str, Any]]:
    """The program's own functions, classes and objects in those tables, by name, in the order in which they lie there."""
    found = [(name, value) for name, value in _entries() if _is_the_programs(value)]
    # Names stand for values as well.
    found += [(name, value) for name, value in _names() if type(value) in _VALUES]
    return found + abstract.registered_with_python()


_VALUES = (bool, int, float, str, bytes, tuple, list, dict)


def _entries() -> Iterator[tuple[str, Any]]:
    yield from _conversions()
    yield from _dispatchers()
    yield from _gradients()
    yield from _trees()
    for kind, function in list(copyreg.dispatch_table.items()):
        if origin.is_program(getattr(getattr(function, "__code__", None), "co_filename", "<")):
            yield f"copies of {_named(kind)}", function
    yield from _names()
    yield from _of_numpy()


def _table(module: str, name: str) -> Any:
    """Empty where the module is not loaded, or has no such table in this version."""
    return getattr(sys.modules.get(module), name, {})


def _conversions() -> Iterator[tuple[str, Any]]:
    home = "tensorflow.python.framework."
    table = _table(home + "tensor_conversion_registry", "_tensor_conversion_func_registry")
    for priority, entries in list(table.items()):
        for kinds, function in list(entries):
            yield f"conversion {priority} {_named(kinds)}", function
    for kinds, function, *_ in list(_table(home + "type_spec", "_TYPE_CONVERSION_FUNCTION_REGISTRY")):
        yield f"spec of {_named(kinds)}", function


def _dispatchers() -> Iterator[tuple[str, Any]]:
    home = "tensorflow.python.util.dispatch"
    for one in list(_table(home, "_GLOBAL_DISPATCHERS")):
        yield "every operation", one
    for interface, targets in list(_table(home, "_TYPE_BASED_DISPATCH_SIGNATURES").items()):
        for target, signatures in list(targets.items()):
            if _is_the_programs(target):
                yield f"{_named(interface)} for {signatures}", target
        for one in getattr(interface, "_tf_fallback_dispatchers", ()):
            yield _named(interface), one
            for part in vars(one).values() if hasattr(one, "__dict__") else ():
                yield _named(interface), part
    for kinds, handler in list(_table(home, "_ELEMENTWISE_API_HANDLERS").items()):
        yield f"elementwise {_named(kinds)}", handler


def _gradients() -> Iterator[tuple[str, Any]]:
    table = _table("tensorflow.python.framework.ops", "gradient_registry")
    for name, entry in list(getattr(table, "_registry", {}).items()):
        yield f"gradient {name}", entry.get("type")


def _trees() -> Iterator[tuple[str, Any]]:
    for entry in list(_table("optree.registry", "_NODETYPE_REGISTRY").values()):
        for name in ("flatten_func", "unflatten_func"):
            yield f"tree {_named(getattr(entry, 'type', None))} {name}", getattr(entry, name, None)


def _names() -> Iterator[tuple[str, Any]]:
    table = _table("keras.src.saving.object_registration", "GLOBAL_CUSTOM_OBJECTS")
    for name, value in list(table.items()):
        yield f"registered {name}", value


def _of_numpy() -> Iterator[tuple[str, Any]]:
    """What is called for errors of arithmetic, and what writes numbers."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "geterrcall"):
        return
    yield "numpy.seterrcall", numpy.geterrcall()
    for option, value in numpy.get_printoptions().items():
        if isinstance(value, dict):
            for kind, function in value.items():
                yield f"numpy.set_printoptions {option} {kind}", function
        elif callable(value):
            yield f"numpy.set_printoptions {option}", value


def _named(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(map(_named, value))
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _is_the_programs(value: Any) -> bool:
    if isinstance(value, types.MethodType):
        return _is_the_programs(value.__func__) or _is_the_programs(value.__self__)
    if isinstance(value, types.FunctionType):
        return origin.of_file(value.__code__.co_filename) == origin.USER
    kind = value if isinstance(value, type) else type(value)
    return origin.of_module(kind.__module__) == origin.USER and kind.__module__ not in _OF_C


#: What the classes of compiled modules say of themselves.
_OF_C = frozenset({"pybind11_builtins"})
