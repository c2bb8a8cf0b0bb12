"""One function about to be traced: who it is, what its key is, and which of its objects are what."""

from __future__ import annotations

import contextlib
import sys
import types
import weakref
from dataclasses import dataclass
from typing import Any

from .. import environment
from ..fingerprint import Unfit, Walk, leftovers
from ..fingerprint.classes import own_attributes
from ..fingerprint.plans import Plans
from ..key import Key

_plans = Plans()


@dataclass
class Subject:
    """A call of ``_create_concrete_function`` that comes from a call of a ``tf.function``."""

    function: Any  # polymorphic_function.Function
    function_type: Any
    type_context: Any
    tracing_options: Any
    is_first_call: bool = False
    """Of the function in this process: only then may its trace create variables."""

    @property
    def name(self) -> str:
        return str(self.tracing_options.name)

    def place(self) -> tuple[str, str]:
        """File and qualified name of the Python function, for people and for finding earlier entries."""
        code = code_of(self.function._python_function)
        return (
            (code.co_filename, getattr(code, "co_qualname", code.co_name))
            if code is not None
            else ("?", self.name)
        )

    def walk(self, foreign: list[tuple[str, Any]], masked: frozenset[int] = frozenset()) -> Walk:
        """Everything that its trace can see; raises :class:`Unfit`."""
        walk = _plans.walk(masked)
        walk.run("", self.function)
        walk.run(
            "arguments", [(p.name, p.kind.name, p.optional, p.type_constraint) for p in self._parameters()]
        )
        walk.run(
            "attributes", {key: str(value) for key, value in (self.tracing_options.attributes or {}).items()}
        )
        # Of variables that are arguments the trace gets those of this call, with all that was put on them.
        walk.run("variables", list(self.type_context.get_placeholder_mapping().values()))
        walk.run("collections", _collections())
        walk.run("keras", _keras_globals())
        for name, value in foreign:
            walk.run(f"put into {name}", value)
        return walk

    def check_inner(self, walk: Walk) -> None:
        """Before a trace is made or replaced:

        raises :class:`Unfit` where Keras' own inner step has traces already.
        """
        for inner in walk.functions:
            if inner is not self.function and is_keras_step(inner) and len(inner._function_cache):
                raise Unfit("a step of the same model was traced before")

    def _parameters(self) -> list[Any]:
        return list(self.function_type.parameters.values())

    def key(self, walk: Walk, inner: str) -> Key:
        """``inner`` says which traces the functions that it can call have."""
        return Key.of(
            [
                ("function", self.name),
                *environment.process_parts(),
                *environment.current_parts(),
                ("traces of functions that it calls", inner),
                ("state", walk.digest()),
            ]
        )


class State:
    """What was in reach at some time. (A walk itself holds every object, and must not outlive its use.)"""

    def __init__(self, walk: Walk) -> None:
        self._digest, self._besides = walk.digest(), walk.digest_besides()
        self._left = leftovers.written(walk)
        self._variables = [weakref.ref(variable) for variable in walk.variables]

    def is_that_of(self, walk: Walk, but_for_leftovers: bool = False) -> bool:
        """The same content, and the very same variables: a name may stand for another one of the same form now."""
        same = walk.digest_besides() == self._besides if but_for_leftovers else walk.digest() == self._digest
        return (
            same
            and len(walk.variables) == len(self._variables)
            and all(then() is now for then, now in zip(self._variables, walk.variables, strict=True))
        )

    def leftovers_in(self, walk: Walk) -> contextlib.AbstractContextManager[None]:
        """For a while, on what was walked now: what calls had left behind then."""
        return leftovers.as_then(walk, self._left)


def state_of(value: Any, masked: frozenset[int]) -> str | None:
    """What one object and all in its reach are like; ``None`` where that cannot be told."""
    try:
        walk = _plans.walk(masked)
        walk.run("", value)
        return walk.digest()
    except Exception:  # asked in the middle of the program's own trace, which goes on
        return None


def code_of(function: Any) -> types.CodeType | None:
    """Of the function inside of all that wraps it. An object of the program's is not asked: that may run its code."""
    for _ in range(16):
        if type(function) is types.MethodType:
            function = function.__func__
            continue
        inner = own_attributes(function).get("__wrapped__")
        if inner is None:
            return function.__code__ if isinstance(function, types.FunctionType) else None
        function = inner
    return None


def is_keras_step(inner: Any) -> bool:
    """The function inside of Keras' own step functions: nobody else can call it."""
    code = code_of(inner._python_function)
    return code is not None and code.co_name == "one_step_on_data" and "keras" in code.co_filename


def _collections() -> dict[str, Any]:
    """The graph of a trace begins with what lies in those of the graph around it."""
    from tensorflow.python.framework import ops

    found = ops.get_default_graph()._collections
    # What TensorFlow keeps there for itself (scopes of variables) has tuples for names.
    return {name: list(content) for name, content in found.items() if isinstance(name, str)}


def _keras_globals() -> dict[str, Any]:
    """Keras' settings that layers look up while they are called: policies, the global seed."""
    module = sys.modules.get("keras.src.backend.common.global_state")
    found: dict[str, Any] = {}
    for tracker in ("GLOBAL_STATE_TRACKER", "GLOBAL_SETTINGS_TRACKER"):
        space = vars(getattr(module, tracker)) if module is not None else {}
        # None is what a scope leaves behind that was never entered before.
        found.update({k: v for k, v in sorted(space.items()) if k not in _UNREAD and v is not None})
    return found


#: Names given out so far: read only to give out the next one, which the recording would see. And variables of a layer
#: that is being built, of which there are none now.
_UNREAD = frozenset({"object_name_uids", "uninitialized_variables"})
