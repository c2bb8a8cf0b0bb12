"""Has anybody changed the libraries? A version says what they were when they were loaded, not what they are now.

Programs patch: ``tf.nn.relu = mine``, a method on a Keras class, a flag in a module. So the names in every
loaded module and class of the libraries are written down, function by function (by the place of its code),
and compared with what they were when a trace was kept. Functions of the user's that are found there are
handed out, so that their content counts as well.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import sys
import types
from collections.abc import Iterable
from typing import Any

from . import dictversions, registries
from .fingerprint import bytecode, origin, stdlib

#: Packages whose code runs in traces. What they are built of is taken by version alone.
WATCHED = ("tensorflow", "keras", "numpy", *origin.COMPANIONS)

#: Names in modules that say nothing about what the module does.
_SKIPPED = frozenset(
    {"__builtins__", "__cached__", "__doc__", "__file__", "__loader__", "__name__", "__package__", "__path__",
     "__spec__", "__warningregistry__", "__annotations__", "_api_export_symbol_id", "__dict__", "__weakref__",
     "__module__", "__abstractmethods__", "_abc_impl", "__slots__", "__firstlineno__", "__static_attributes__",
     "__slotnames__"}
)  # fmt: skip
#: State that libraries keep in module globals, and that no trace depends on.
_VOLATILE: dict[str, frozenset[str]] = {
    # Left over from loops over sets.
    "tensorflow.python.ops.weak_tensor_ops": frozenset({"operator", "tensor_oper"}),
    "numpy._core._type_aliases": frozenset({"_abstract_type_name"}),
    "tensorflow": frozenset({"_s", "_plugin_dir"}),
}
#: Parts that hold no code which runs while a function is traced: messages, converters, other hardware, old
#: Keras, and the
#: old interface's second names for functions that are watched where they are defined.
_UNWATCHED = (
    "tensorflow._api.v2.compat", "tensorflow.core.", "tensorflow.lite", "tensorflow.tools", "tensorflow.dtensor",
    "tensorflow.compiler", "tensorflow.security", "tensorflow.tsl", "tensorflow.summary", "tensorflow.python.keras",
    "tensorflow.python.tpu", "tensorflow.python.debug", "tensorflow.python.saved_model", "tensorflow.python.tools",
    "tensorflow.python.feature_column", "tensorflow.python.profiler", "tensorflow.python.summary",
    "tensorflow.python.distribute.v1", "tensorflow.python.layers", "tensorflow.python.compiler.tensorrt",
    "numpy.f2py", "numpy.testing", "numpy.ma", "numpy.ctypeslib", "numpy.polynomial", "numpy.distutils",
    "keras._tf_keras", "keras.src.applications", "keras.src.datasets", "keras.src.export", "keras.src.wrappers",
    "keras.src.saving", "keras.src.callbacks", "keras.src.legacy.saving", "keras.src.visualization",
    "tensorflow.python.client", "tensorflow.python.checkpoint", "tensorflow.python.lib",
    "tensorflow.python.platform",
    "tensorflow.python.ops.distributions", "tensorflow.python.grappler", "tensorflow.python.tf2",
    "tensorflow.python.distribute.cluster_resolver", "tensorflow.python.distribute.coordinator",
    "tensorflow.python.distribute.failure_handling", "tensorflow.python.distribute.experimental",
)  # fmt: skip


#: What was written down of an object in this round, by its id; with the object, so that no other gets that.
_Signs = dict[int, tuple[str, Any]]


class _Look:
    """What a module or class held when it was last written down."""

    __slots__ = ("address", "before", "classes", "containers", "digest", "foreign", "holder", "version")

    def __init__(self, holder: Any, space: Any, name: str, signs: _Signs) -> None:
        self.holder = holder  # kept, so that no other object gets its id
        self.address = dictversions.address_of(space)
        self.version = dictversions.at(self.address)  # before anything is read, so that no change is missed
        self.before = dict(space)
        self.classes: list[Any] = []
        self.containers: list[_Container] = []
        foreign: list[tuple[str, Any]] = []
        parts: list[str] = []
        skipped = _SKIPPED | _VOLATILE[name] if name in _VOLATILE else _SKIPPED
        for key, value in self.before.items():
            if key in skipped:
                continue
            kind = type(value)
            if kind is types.FunctionType:  # most of what there is, so by the shortest way
                code = value.__code__
                if code.co_filename in _known_files:
                    parts.append(f"{key}={code.co_filename}:{code.co_firstlineno}:{value.__qualname__}")
                    continue
            elif kind in _told_by_kind:
                parts.append(f"{key}={_told_by_kind[kind]}")
                continue
            elif isinstance(value, types.ModuleType):
                if f"{name}.{key}" in sys.modules:
                    continue  # a submodule becomes a name of its package whenever somebody imports it
            elif isinstance(value, type):
                if value.__module__ == name:
                    self.classes.append(value)
            elif kind in (dict, list, set):
                self.containers.append(_Container(value))
            signed = signs.get(id(value))
            if signed is None:
                known = len(foreign)
                signed = _sign(value, f"{name}.{key}", foreign), value
                if len(foreign) == known:  # else it is handed out under each of its names
                    signs[id(value)] = signed
            parts.append(f"{key}={signed[0]}")
        self.digest = _short("\n".join(sorted(parts)))
        self.foreign = tuple(foreign)

    def still_holds(self, space: Any) -> bool:
        version = dictversions.at(self.address)
        if not _same(space, self.before) or any(container.has_other_code() for container in self.containers):
            return False
        self.version = version
        return True


class _Container:
    """A list or a dictionary can be changed in place, and is the same object then."""

    __slots__ = ("_code", "_members", "_nested", "address", "value", "version")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.address = dictversions.address_of(value) if type(value) is dict else None
        self.version = dictversions.at(self.address)
        self._code = _code_in(value)
        self._remember(self._now())

    def _now(self) -> list[Any]:
        return list(self.value.values() if type(self.value) is dict else self.value)

    def _remember(self, members: list[Any]) -> None:
        self._members = members
        self._nested = any(type(member) is list for member in members)  # which may change in place as well

    @property
    def counts_its_changes(self) -> bool:
        return type(self.value) is dict and not self._nested

    def has_other_code(self) -> bool:
        """What :func:`_sign_container` would find has changed. Mostly nothing has, which is quick to see."""
        version = dictversions.at(self.address)
        now = self._now()
        if self._nested or not _same(now, self._members):
            if _code_in(self.value) != self._code:
                return True
            self._remember(now)
        self.version = version
        return False


class _Told:
    """What was told of a module. It holds until a dictionary of it or of its classes, or one of its tables, changes."""

    __slots__ = ("_addresses", "_others", "_versions", "digest", "foreign", "module")

    def __init__(self, module: Any, looks: list[_Look], digest: str, foreign: list[tuple[str, Any]]) -> None:
        self.module, self.digest, self.foreign = module, digest, foreign
        containers = [container for look in looks for container in look.containers]
        self._others = [container for container in containers if not container.counts_its_changes]
        counted: list[_Look | _Container] = [*looks, *(one for one in containers if one.counts_its_changes)]
        self._addresses = [one.address for one in counted]
        self._versions = [one.version for one in counted]

    def holds(self, module: Any) -> bool:
        return (
            self.module is module
            and dictversions.are_all_at(self._versions, self._addresses)
            and not any(container.has_other_code() for container in self._others)
        )


class Libraries:
    """The state of the loaded libraries, looked at again and again at little cost."""

    def __init__(self) -> None:
        self._looks: dict[int, _Look] = {}
        self._watched: dict[str, str] = {}
        self._told: dict[str, _Told] = {}
        #: Functions that were changed in place, whosever they are; from Python's audit events.
        self.changed: Iterable[Any] = ()

    def digests(self) -> tuple[dict[str, str], list[tuple[str, Any]]]:
        """Digest per module, and the functions found in them that are not the libraries' own, by name."""
        found: dict[str, str] = {}
        foreign: list[tuple[str, Any]] = []
        signs: _Signs = {}
        for name, module in list(sys.modules.items()):
            watched = self._watched.get(name)
            if watched is None:
                watched = self._watched[name] = _source(name)
            if not watched:
                continue
            told = self._told.get(name)
            if told is None or not told.holds(module):
                if not isinstance(module, types.ModuleType):
                    continue
                told = self._tell(name, module, watched, signs)
            foreign.extend(told.foreign)
            if watched == origin.LIBRARY:  # Python itself stands by its version, but for what was put into it
                found[name] = told.digest
        foreign.extend(registries.registered())
        foreign.extend(_changed_in_place(self.changed))
        return found, foreign

    def _tell(self, name: str, module: Any, watched: str, signs: _Signs) -> _Told:
        space = object.__getattribute__(module, "__dict__")
        look = self._look(module, space, name, signs)
        inner = [self._look(c, c.__dict__, f"{name}.{c.__qualname__}", signs) for c in look.classes]
        foreign = list(look.foreign)
        if foreign and watched != origin.LIBRARY:
            # Into Python's tables (of copies, say) every package puts its own.
            tables = {f"{name}.{key}" for key, value in space.items() if type(value) in (dict, list, set)}
            foreign = [put for put in foreign if put[0] not in tables]
        for one in inner:
            foreign.extend(one.foreign)
        digest = _short(look.digest + "".join(one.digest for one in inner)) if inner else look.digest
        told = self._told[name] = _Told(module, [look, *inner], digest, foreign)
        return told

    def _look(self, holder: Any, space: Any, name: str, signs: _Signs) -> _Look:
        look = self._looks.get(id(holder))
        if look is None or not look.still_holds(space):
            look = self._looks[id(holder)] = _Look(holder, space, name, signs)
        return look


#: Of Python's own modules, besides those that a trace may use as they please: what the libraries use.
_PATCHABLE = stdlib.PURE | {
    "linecache",
    "tokenize",
    "random",
    "time",
    "os",
    "inspect",
    "threading",
    "datetime",
    "pathlib",
}


def _source(name: str) -> str:
    """Whose a module is, where it is watched; else nothing."""
    top = name.partition(".")[0]
    if top in WATCHED:
        return "" if name.startswith(_UNWATCHED) or name.endswith("_pb2") else origin.LIBRARY
    return origin.STDLIB if top in _PATCHABLE else ""


def _changed_in_place(functions: Iterable[Any]) -> list[tuple[str, Any]]:
    """Those of the libraries', with what they do now: a function and all tables that it lies in are the same objects
    as before. Also where it was changed back, which costs a trace and no more."""
    found = []
    for function in list(functions):
        home = str(function.__globals__.get("__name__", ""))
        if _source(home):
            found.append(
                (f"{home}.{function.__qualname__}", bytecode.content_digest(function.__code__), function)
            )
    found.sort(key=lambda one: one[:2])
    return [(name, part) for name, *parts in found for part in parts]


def prime() -> None:
    """Looks at the libraries as they are, for the processes that are forked from this one."""
    shared().digests()


def shared() -> Libraries:
    """One for the process: what was looked at before a fork need not be looked at again after it."""
    global _shared
    if _shared is None:
        _shared = Libraries()
    return _shared


_shared: Libraries | None = None


def _same(now: Any, before: Any) -> bool:
    try:
        return bool(now == before)  # identical values are not compared further, so this is quick
    except Exception:  # a value whose comparison fails is not the one that was there
        return False


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _sign(value: Any, name: str, foreign: list[tuple[str, Any]]) -> str:
    kind = type(value)
    if kind is types.FunctionType:
        return _sign_function(value, name, foreign)
    if value is None or kind in _SMALL:
        return f"{kind.__name__} {value!r}"
    if kind in (staticmethod, classmethod):
        return f"{kind.__name__} {_sign(value.__func__, name, foreign)}"
    if kind is property:
        return f"property {_sign(value.fget, name, foreign)} {_sign(value.fset, name, foreign)}"
    if isinstance(value, type):
        if origin.is_program_class(value):
            foreign.append((name, value))
        return f"class {value.__module__}.{value.__qualname__}"
    if isinstance(value, types.ModuleType):
        # Not ``value.__name__``: a lazy module would load itself to answer.
        return f"module {object.__getattribute__(value, '__dict__').get('__name__')}"
    if kind in (dict, list, tuple, set, frozenset):
        return _sign_container(value, name, foreign)
    if kind is types.MethodType:
        if origin.is_program_class(type(value.__self__)):
            foreign.append((name, value))
        return f"method {_sign(value.__func__, name, foreign)} of {type(value.__self__).__qualname__}"
    if kind is functools.partial:
        parts = [value.func, *value.args, *value.keywords.values()]
        return f"partial {list(value.keywords)} {[_sign(part, name, foreign) for part in parts]}"
    if isinstance(value, enum.Enum):
        return f"member {kind.__module__}.{kind.__qualname__}.{value.name}"
    if kind is _CACHED:
        return f"cached {_sign(value.__wrapped__, name, foreign)}"
    told = f"a {kind.__module__}.{kind.__qualname__}"
    if origin.of_module(kind.__module__) == origin.USER and not kind.__module__.startswith(_COMPILED):
        foreign.append((name, value))  # of a kind that no library has: somebody put it there
    elif not kind.__flags__ & _MADE_BY_PYTHON:
        _told_by_kind[kind] = told
    return told


#: What is told of every object of a kind alike. Only kinds that are written in C, which nobody can change or make anew.
_told_by_kind: dict[type, str] = {}
_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def _sign_function(value: types.FunctionType, name: str, foreign: list[tuple[str, Any]]) -> str:
    if hasattr(value, "_headstart_cache"):
        return _sign(value.__wrapped__, name, foreign)  # type: ignore[attr-defined]  # our hook stands for what it wraps
    code = value.__code__
    place = code.co_filename
    if place.startswith("<"):  # generated (a dataclass, a named tuple): it has no place, so by content
        home = value.__globals__.get("__name__")
        if (
            home in sys.modules
            and origin.of_module(str(home)) == origin.USER
            and not (value.__globals__.get("_IS_TENSORFLOW_PLUGIN") and name.startswith(origin.COMPANIONS))
        ):
            # An operation that a companion brings as native code goes by the companion's version. The rest:
            foreign.append((name, value))  # the program itself may have no file: ``python -c``
        return f"{place} {bytecode.content_digest(code)}"
    if origin.of_file(place) == origin.USER:
        foreign.append((name, value))
    else:
        _known_files.add(place)
    # Decorators make many functions of one code; the name is then that of the function inside.
    return f"{place}:{code.co_firstlineno}:{value.__qualname__}"


#: Files of libraries, once they were looked at.
_known_files: set[str] = set()


def _sign_container(value: Any, name: str, foreign: list[tuple[str, Any]]) -> str:
    """Only what is code: registries map names to functions. Their other content comes and goes."""
    members = value.items() if type(value) is dict else ((None, member) for member in value)
    signs = []
    for key, member in list(members) if len(value) <= _CONTAINER_LIMIT else ():
        kind = type(member)
        if kind is types.FunctionType:
            signs.append(f"{key if type(key) in _SMALL else ''} {_sign_function(member, name, foreign)}")
        elif kind in (tuple, list) and len(member) < 8:
            signs.extend(
                _sign_function(part, name, foreign) for part in member if type(part) is types.FunctionType
            )
        elif origin.is_program_class(member if isinstance(member, type) else kind):
            foreign.append((name, member))
    return f"{type(value).__name__} {_short(chr(10).join(sorted(signs)))}" if signs else type(value).__name__


def _code_in(value: Any) -> list[Any]:
    """The code in a container, in order."""
    if len(value) > _CONTAINER_LIMIT:
        return []
    found = []
    for member in list(value.values() if type(value) is dict else value):
        kind = type(member)
        if kind is types.FunctionType:
            found.append(member)
        elif kind in (tuple, list) and len(member) < 8:
            found.extend(part for part in member if type(part) is types.FunctionType)
        elif kind in _SMALL:
            continue
        elif origin.is_program_class(member if isinstance(member, type) else kind):
            found.append(member)
    return found


#: Kinds of functions that compiled modules bring along.
_COMPILED = ("_cython", "cython", "pybind11", "nanobind")
_CACHED = type(functools.lru_cache(lambda: None))
_SMALL = (bool, int, float, str, bytes)
_CONTAINER_LIMIT = 4096
