"""What a code object says: its content without its place, and the names through which it can reach the world."""

from __future__ import annotations

import dis
import hashlib
import types
from dataclasses import dataclass
from typing import Any

from .asked import RARELY_ASKED

#: Builtins through which code reads attributes by names that are not in it.
_REFLECTIVE = frozenset({"getattr", "hasattr", "vars", "dir", "setattr", "delattr"})
#: Methods that do so.
REFLECTIVE_METHODS = frozenset(
    {
        "__dict__",
        "__getattribute__",
        "__setattr__",
        "__delattr__",
        "__getstate__",
        "__reduce__",
        "__reduce_ex__",
        "format",
        "format_map",
        "vformat",
    }
)
_GLOBAL = frozenset(
    {"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
)
_OF_A_FUNCTION_AROUND = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
#: Run only when an instance is made, which takes a hold of the class. (A library may make instances of its own accord.)
MAKING = frozenset({"__init__", "__new__", "__post_init__"})
_STORE = frozenset({"STORE_ATTR", "DELETE_ATTR"})


@dataclass(frozen=True)
class Facts:
    """A code object and all code nested in it."""

    digest: str
    #: Global names read or written, in order of appearance.
    globals: tuple[str, ...]
    #: For each name from outside (global, or of a function around it), the attribute chains read on it; an empty
    #: chain: used as a value.
    chains: dict[str, frozenset[tuple[str, ...]]]
    #: Modules imported by statements inside.
    imports: tuple[tuple[str, int, tuple[str, ...]], ...]
    #: Every attribute name in it.
    names: frozenset[str]
    #: Those of them that it reads on something.
    reads: frozenset[str]
    #: Global names on which it sets attributes.
    stores: frozenset[str]
    #: Whether it can read attributes by computed names.
    reflective: bool
    #: Whether it can make instances of a class of which it only has an instance.
    makes: bool


_known: dict[int, tuple[types.CodeType, Facts]] = {}


def facts(code: types.CodeType) -> Facts:
    found = _known.get(id(code))
    if found is None:
        found = _known[id(code)] = (code, _facts(code))
    return found[1]


def _facts(code: types.CodeType) -> Facts:
    order: dict[str, None] = {}
    chains: dict[str, set[tuple[str, ...]]] = {}
    imports: list[tuple[str, int, tuple[str, ...]]] = []
    names: set[str] = set(code.co_names)
    stores: set[str] = set()
    reads: set[str] = set()
    reflective = False
    instructions = [
        i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "PRECALL", "PUSH_NULL")
    ]
    for at, one in enumerate(instructions):
        if one.opname in _GLOBAL:
            order.setdefault(str(one.argval))
            chain, after = _chain(instructions, at + 1)
            chains.setdefault(str(one.argval), set()).add(chain)
            if after in _STORE:
                stores.add(str(one.argval))
        elif one.opname in _OF_A_FUNCTION_AROUND:
            chains.setdefault(str(one.argval), set()).add(_chain(instructions, at + 1)[0])
        elif one.opname in _ATTRIBUTE or one.opname == "IMPORT_FROM":
            reads.add(str(one.argval))
        elif one.opname == "IMPORT_NAME":
            imports.append((str(one.argval), *_import_of(instructions, at)))
    reflective = bool(_REFLECTIVE & set(order)) or bool(REFLECTIVE_METHODS & names)
    # A dataclass compares classes in its generated methods; anywhere else it may be to make an instance.
    makes = "type" in order or ("__class__" in names and code.co_filename != "<string>")
    # ``self.__init__()`` sets all anew. (That one ``__init__`` calls another is no news.)
    makes = makes or (code.co_name not in MAKING and not MAKING.isdisjoint(names))
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            inner = facts(const)
            order.update(dict.fromkeys(inner.globals))
            for name, found in inner.chains.items():
                chains.setdefault(name, set()).update(found)
            imports.extend(inner.imports)
            names |= inner.names
            stores |= inner.stores
            reads |= inner.reads
            reflective = reflective or inner.reflective
            makes = makes or inner.makes
        elif isinstance(const, tuple):
            # ``case Point(x=0)`` keeps the names of attributes in a constant.
            names.update(part for part in const if isinstance(part, str))
        elif reflective and isinstance(const, str) and const in RARELY_ASKED:
            names.add(const)  # ``getattr(function, "__doc__")``
    return Facts(
        content_digest(code),
        tuple(order),
        {name: frozenset(found) for name, found in chains.items()},
        tuple(imports),
        frozenset(names),
        frozenset(reads),
        frozenset(stores),
        reflective,
        makes,
    )


def _chain(instructions: list[dis.Instruction], at: int) -> tuple[tuple[str, ...], str]:
    chain: list[str] = []
    while at < len(instructions) and instructions[at].opname in _ATTRIBUTE:
        chain.append(str(instructions[at].argval))
        at += 1
    return tuple(chain), instructions[at].opname if at < len(instructions) else ""


def hands_on_its_class(function: Any) -> bool:
    """Whether a class method does more with the class that it is given than to read attributes: it may call it."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or not code.co_varnames:
        return True
    first = code.co_varnames[0]
    if first in code.co_cellvars:  # a function inside has it
        return True
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "PUSH_NULL")]
    for one, after in zip(instructions, [*instructions[1:], None], strict=True):
        # Newer releases of Python load two at once.
        loaded = one.argval if isinstance(one.argval, tuple) else (one.argval,)
        if one.opname.startswith("LOAD_FAST") and first in loaded:
            only_read = after is not None and after.opname in _ATTRIBUTE | _STORE | {"LOAD_SUPER_ATTR"}
            if first in loaded[:-1] or not only_read:
                return True
    return False


def _import_of(instructions: list[dis.Instruction], at: int) -> tuple[int, tuple[str, ...]]:
    level: int = 0
    wanted: tuple[object, ...] = ()
    if at >= 2:
        level_value, wanted_value = instructions[at - 2].argval, instructions[at - 1].argval
        level = level_value if isinstance(level_value, int) else 0
        wanted = wanted_value if isinstance(wanted_value, tuple) else ()
    return level, tuple(str(name) for name in wanted)


def content_digest(code: types.CodeType) -> str:
    """Equal for code that does the same. File and line are left out: a graph cannot see them."""
    return hashlib.blake2b(
        "\x1f".join(_content(code)).encode("utf-8", "surrogatepass"), digest_size=16
    ).hexdigest()


def _content(code: types.CodeType) -> list[str]:
    parts = [
        code.co_name,
        f"{code.co_argcount} {code.co_posonlyargcount} {code.co_kwonlyargcount} {code.co_flags}",
        code.co_code.hex(),
        repr(code.co_names),
        repr(code.co_varnames),
        repr(code.co_freevars),
        repr(code.co_cellvars),
        getattr(code, "co_exceptiontable", b"").hex(),
    ]
    parts.extend(_constant(const) for const in code.co_consts)
    return parts


def _constant(const: Any) -> str:
    if isinstance(const, types.CodeType):
        return "code " + content_digest(const)
    if isinstance(const, tuple):
        return "(" + ",".join(_constant(part) for part in const) + ")"
    if isinstance(const, frozenset):
        return "{" + ",".join(sorted(_constant(part) for part in const)) + "}"
    # The type too: 1, 1.0 and True are equal and print differently, -0.0 and 0.0 as well.
    return f"{type(const).__name__} {const!r}"
