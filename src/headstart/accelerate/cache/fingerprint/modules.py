"""Modules that code has a hold of: which parts of them it uses, and whether a trace may use those."""

from __future__ import annotations

import logging
import sys
import types
from typing import Any

from . import origin, plain, stdlib
from .walk import Unfit, Walk

_EMPTY = types.CellType()
Chains = frozenset[tuple[str, ...]]


def used(walk: Walk, name: str, value: types.ModuleType, chains: Chains, names: frozenset[str]) -> None:
    """``chains`` are what is read on the module; ``names``, all that the code which does so has names for."""
    home = value.__name__
    if origin.of_module(home) == origin.STDLIB:
        refuse(walk, stdlib.why_not_module({"posixpath": "os.path"}.get(home, home), chains))
        if home == "builtins":
            for chain in sorted(chains):
                refuse(walk, stdlib.why_not_builtin(chain))
        if home in stdlib.REFLECTIVE:
            walk.know_all()
        if home == "logging" and names & stdlib.OF_A_LOGGER:
            raise Unfit("it asks for the level or the handlers of a logger")
        if home == "sys" and any(chain[:1] == ("argv",) for chain in chains):
            walk.child("/sys.argv", list(sys.argv))
        for part in sorted({chain[0] for chain in chains if chain}):
            know_all_for(walk, home, part)
            _part_of_stdlib(walk, f"/{name}.{part}", vars(value).get(part))
    elif origin.of_module(home) == origin.LIBRARY:
        for chain in sorted(chains):
            _refuse_randomness(home, chain)
            _put_into_library(walk, name, value, chain)
    else:
        _modules_inside(walk, value, chains, names)


def _modules_inside(walk: Walk, value: types.ModuleType, chains: Chains, names: frozenset[str]) -> None:
    """``helper.os.getcwd()``: what a module of the program's has imported, used from another one."""
    if () in chains:  # ``h = helper; h.os.getcwd()``
        walk.child("/", walk.held(value))
    for chain in sorted(chain for chain in chains if chain):
        inner = object.__getattribute__(value, "__dict__").get(chain[0])
        if issubclass(type(inner), types.ModuleType):
            used(walk, chain[0], inner, frozenset({chain[1:]}), names)


def _put_into_library(walk: Walk, name: str, value: types.ModuleType, chain: tuple[str, ...]) -> None:
    """``tf.my_settings["rate"]``: of what lies in libraries only code and numbers are looked at (see ``libraries``)."""
    holder: Any = value
    for part in chain:
        # Not getattr: a lazy module would load itself to answer.
        holder = object.__getattribute__(holder, "__dict__").get(part)
        name = f"{name}.{part}"
        if type(holder).__qualname__ in _VALUES:
            walk.child(f"/{name}", holder)
        if not isinstance(holder, (types.ModuleType, type)):
            return


_VALUES = frozenset(
    {"dict", "list", "set", "tuple", "frozenset", "SimpleNamespace", "mappingproxy", "OrderedDict", "defaultdict",
     "Counter", "deque", "ndarray", "EagerTensor", "ResourceVariable",
     # The command line, by absl and by TensorFlow: ``flags.FLAGS.rate``.
     "FlagValues", "_FlagValuesWrapper"}
)  # fmt: skip


def _part_of_stdlib(walk: Walk, label: str, value: Any) -> None:
    """It stands by Python's version, unless somebody has put something else there."""
    code = getattr(value, "__code__", None)
    kind = type(value)
    if (isinstance(code, types.CodeType) and origin.of_file(code.co_filename) == origin.USER) or (
        kind in (bool, int, float, str, bytes, complex)
        or kind.__qualname__ in _VALUES
        or origin.of_module(kind.__module__) == origin.USER
    ):
        walk.child(label, value)
    else:
        walk.emit(
            f"{label} {getattr(value, '__module__', '')}:{getattr(value, '__qualname__', kind.__name__)}"
        )


def _refuse_randomness(home: str, chain: tuple[str, ...]) -> None:
    path = (*home.split("."), *chain)
    if (
        path[:2] == ("numpy", "random")
        and len(path) > 2
        and (path[2][:1].isupper() or path[2] in _OF_GENERATORS)
    ):
        raise Unfit(
            f"it makes random generators, or asks for their state ({'.'.join(path)}), while it is traced"
        )
    if SEEDING.intersection(chain[-1:]):
        raise Unfit(f"it sets a seed ({'.'.join(path)}) while it is traced")


#: What NumPy's own generator is asked or told. That numbers are drawn from it is seen.
_OF_GENERATORS = frozenset(
    {"default_rng", "get_state", "set_state", "seed", "get_bit_generator", "set_bit_generator"}
)
#: The libraries' functions that set a seed. That they did is not seen where it was the same before, and it need not be
#: the same where the trace is used.
SEEDING = frozenset({"set_seed", "set_random_seed"})


def know_all_for(walk: Walk, module: str, name: str) -> None:
    """Where code that has this part of the standard library can read attributes by names that are computed."""
    if name in stdlib.REFLECTIVE_PARTS.get(module, ()):
        walk.know_all()
    if name in stdlib.ON_FILES.get(module, ()):
        walk.know(stdlib.OF_A_FILE)
    if module == "logging" and name in ("getLogger", "getLevelName"):
        # By name it gets what no other code need have a hold of.
        walk.child("/logging.levels", dict(logging._levelToName))
        walk.child("/logging.loggers", _loggers_with_more())


def _loggers_with_more() -> list[logging.Logger]:
    """Those on which somebody has put something."""
    known = (one for _, one in sorted(logging.root.manager.loggerDict.items(), key=lambda item: item[0]))
    return [one for one in known if type(one) is logging.Logger and vars(one).keys() - plain.OF_EVERY_LOGGER]


def around(value: types.FunctionType) -> list[tuple[str, types.ModuleType]]:
    """Modules that a function around this one has imported."""
    held = zip(value.__code__.co_freevars, value.__closure__ or (), strict=False)
    return [
        (name, cell.cell_contents)
        for name, cell in held
        if cell != _EMPTY and issubclass(type(cell.cell_contents), types.ModuleType)
    ]


def refuse(walk: Walk, reason: str | None) -> None:
    if reason is not None:
        raise Unfit(reason)
