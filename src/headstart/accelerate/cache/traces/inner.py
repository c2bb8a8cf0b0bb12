"""Other ``tf.function`` objects that a trace calls. Each keeps traces of its own, and has more of them afterwards.

What the trace of a function adds to them is kept with it, and is there again when it is replayed: the program may
call them itself, count their traces or save them, and then finds what it would find without us.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..entry import Entry
from ..fingerprint import Unfit, Walk
from ..watch import Seen
from . import captures, keep, library, replay, structure, verify
from .subject import is_keras_step

_CONTENT = "_headstart_content"
_SECTIONS = ("functions", "signature", "binding")
_answering = threading.local()


class Holder(NamedTuple):
    """A function that the trace can call."""

    function: Any
    number: int
    """Its place in the walk."""
    owner: int | None
    """The place of the object whose method it is; ``-1`` for one that is out of reach."""

    @property
    def traces(self) -> list[Any]:
        return list(self.function._function_cache.values())


def holders(own: Any, walk: Walk) -> list[Holder]:
    """All of them, each once. A method has one function for each object that it was called on."""
    found: dict[int, Holder] = {id(own): Holder(own, -1, None)}
    for number, function in enumerate(walk.functions):
        if is_keras_step(function):
            continue
        found.setdefault(id(function), Holder(function, number, None))
        for owner, bound in list(function._descriptor_cache.items()):
            at = walk.number_of(owner)
            found.setdefault(id(bound), Holder(bound, number, -1 if at is None else at))
    del found[id(own)]
    return list(found.values())


def state(own: Any, walk: Walk) -> str:
    """Which traces they have, for the key: what they compute, and with which variables. A trace is as old as its first
    call, and what it was made from may have changed since."""
    found = []
    for holder in holders(own, walk):
        if holder.owner == -1 or not holder.traces:
            continue
        try:
            rows = [
                [content(one), captures.describe(list(one.captured_inputs), walk)] for one in holder.traces
            ]
        except (captures.Untracked, structure.CannotWrite) as problem:
            name = holder.function._name
            raise Unfit(
                f"it can call another tf.function ({name}) that was traced before: {problem}"
            ) from None
        found.append([holder.number, holder.owner, rows])
    return hashlib.blake2b(json.dumps(found).encode(), digest_size=8).hexdigest() if found else ""


def content(concrete: Any) -> str:
    """What a concrete function computes, whatever it and its parts are called in this process."""
    known: str | None = concrete.__dict__.get(_CONTENT)
    if known is None:
        if concrete.name == replay.NOT_TRACED:
            raise structure.CannotWrite("its trace is not there")
        found = keep.definitions(concrete)
        if library.has_custom_gradient(found):
            raise structure.CannotWrite("it has a gradient of its own")
        text = json.dumps([verify.normal_forms(found), structure.checked(concrete.function_type.output)])
        known = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        concrete.__dict__[_CONTENT] = known
    return known


# -- keeping -------------------------------------------------------------------------------------------------


class Before:
    """Their traces before a trace that may add to them."""

    def __init__(self, own: Any, walk: Walk) -> None:
        self._own = own
        self._counts = {id(holder.function): len(holder.traces) for holder in holders(own, walk)}

    def added(self, walk: Walk) -> list[tuple[Holder, list[Any]]]:
        found = []
        for holder in holders(self._own, walk):
            new = holder.traces[self._counts.get(id(holder.function), 0) :]
            if new:
                found.append((holder, new))
        return found


def describe(
    added: list[tuple[Holder, list[Any]]], walk: Walk, mark: str
) -> tuple[list[Any], dict[str, bytes]]:
    """What was added, for the header and the sections of an entry; raises :class:`keep.NotKept`."""
    rows: list[Any] = []
    sections: dict[str, bytes] = {}
    for holder, traces in added:
        _refuse(holder)
        filed = list(holder.function._function_cache._primary.items())[-len(traces) :]
        for (context, _), trace in filed:
            if context != _context_now(holder.function):
                raise keep.NotKept(f"it calls {holder.function._name} under a device or another scope")
            number = len(rows)
            kept = keep.entry(trace, walk, [], Seen(), f"{mark}i{number}")
            sections |= {f"{name} {number}": kept.sections[name] for name in _SECTIONS}
            rows.append([holder.number, holder.owner, _arguments(trace.function_type), kept.header])
    return rows, sections


def _refuse(holder: Holder) -> None:
    function = holder.function
    if holder.owner == -1:
        raise keep.NotKept(f"it calls a tf.function ({function._name}) of an object that is out of reach")
    if function._created_variables:
        raise keep.NotKept(f"it calls another tf.function ({function._name}) that creates variables")
    if function._reduce_retracing:
        raise keep.NotKept(f"it calls another tf.function ({function._name}) that widens its signature")


def _context_now(function: Any) -> Any:
    """What TensorFlow files a trace under that is made by a plain call."""
    from tensorflow.python.eager.polymorphic_function import function_context

    return function_context.make_function_context(function._variable_creation_config.scope_type)


def _arguments(function_type: Any) -> list[Any]:
    """What it was called with, by position or by name."""
    written = []
    for parameter in function_type.parameters.values():
        by_name = parameter.kind is parameter.KEYWORD_ONLY
        try:
            written.append(
                [
                    parameter.name if by_name else None,
                    structure.checked(parameter.type_constraint, values=True),
                ]
            )
        except structure.CannotWrite as problem:
            raise keep.NotKept(f"of another tf.function that it calls: {problem}") from None
    return written


# -- putting back --------------------------------------------------------------------------------------------


def put_back(entry: Entry, walk: Walk, make: Callable[[Entry, Any, tuple[Any, Any, Any]], Any]) -> None:
    """Gives the functions the traces that the trace of ``entry`` gave them.

    TensorFlow's own machinery does it, as for a call; only where it would trace, ``make(entry, function, types)``
    gives what is kept.
    """
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    for function, written, inner in _functions(entry, walk):
        args = [structure.decode(value) for name, value in written if name is None]
        kwargs = {name: structure.decode(value) for name, value in written if name is not None}
        with function._lock, _answers(lambda *types, f=function, e=inner: make(e, f, types)):
            if function._variable_creation_config is None:
                function._initialize(args, kwargs)
            else:
                tracing_compilation.trace_function(args, kwargs, function._variable_creation_config)


def _functions(entry: Entry, walk: Walk) -> Iterator[tuple[Any, list[Any], Entry]]:
    """Each function, what it was called with, and the trace that this gave."""
    for number, (place, owner, written, header) in enumerate(entry.header["inner"]):
        function = walk.functions[place]
        if owner is not None:
            instance = walk.object(owner)
            function = function.__get__(instance, type(instance))
        sections = {name: entry.sections[f"{name} {number}"] for name in _SECTIONS}
        yield function, written, Entry(header, sections)


@contextmanager
def _answers(answer: Callable[..., Any]) -> Iterator[None]:
    _answering.now = answer
    try:
        yield
    finally:
        _answering.now = None


def answer() -> Callable[..., Any] | None:
    """What to give in place of the trace that TensorFlow is about to make, where we have asked for it."""
    found, _answering.now = getattr(_answering, "now", None), None
    return found
