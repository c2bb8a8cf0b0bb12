"""A kept trace as a concrete function of this process."""

from __future__ import annotations

import collections
import contextlib
import json
import weakref
from collections.abc import Callable
from typing import Any

from ..entry import Entry
from ..fingerprint import Walk
from ..firstcall import Manager
from . import captures, faults, keep, library, loaded, structure

NOT_TRACED = b"not traced"
"""The name of a function that only stands for one."""
_class: Any = None


def rehydrate(
    entry: Entry, walk: Walk, subject: Any, real: Callable[[], Any], first: Callable[[str], Any]
) -> Any:
    """A concrete function that runs the kept graph.

    ``real()`` traces for those who need more than to call it; it gives ``None`` where a trace made now would
    be another one, and the kept graph is loaded in full instead. ``first(name)`` gives what is to be in force
    while it is called for the first time.
    """
    from tensorflow.core.framework import function_pb2
    from tensorflow.core.function import trace_type
    from tensorflow.core.function.polymorphism import function_type as function_type_lib
    from tensorflow.python.eager import context

    binding = json.loads(entry.sections["binding"])
    captured = captures.bind(binding["captures"], walk)
    output = trace_type.from_value(structure.decode(binding["output"]))
    function_type = function_type_lib.FunctionType(
        subject.function_type.parameters.values(),
        collections.OrderedDict((id(tensor), trace_type.from_value(tensor)) for tensor in captured),
        return_annotation=output,
    )
    signature = function_pb2.FunctionDef.FromString(entry.sections["signature"])
    live = context.context()
    name, inner = _register(live, entry.sections["functions"], signature)
    # One object per function in the runtime, so that all of them go when this one goes.
    kind = faults.atomic_class()
    children = [kind(one, live, None) for one in inner]
    atomic = kind(name, live, function_type, children)
    # Else the first call would fetch the whole definition back from the runtime to count its arguments.
    atomic._cached_definition = signature
    keep.set_marks(walk, binding["marks"])
    # Weakly, as TensorFlow's own functions hold them: when a variable goes is the program's affair.
    variables = [weakref.ref(walk.variables[n]) for kind, n in binding["captures"] if kind == "variable"]

    def in_full() -> Any:
        again = real()
        if again is not None:
            return again
        living = [variable for reference in variables if (variable := reference()) is not None]
        return loaded.LoadedFunction(entry, function_type, captured, living)

    function = _replayed_class()(atomic, function_type, captured, in_full)
    method: Any = weakref.WeakMethod(
        function.headstart_traced
    )  # the function holds the other, not the reverse
    faults.connect(atomic, lambda: method()())
    first_call_under(function, first(name))
    return function


def first_call_under(function: Any, manager: Manager | None) -> None:
    """Puts the first call of a concrete function, and no other, into a context."""
    if manager is None:
        return
    call = function._call_flat
    managers = [manager]

    def _call_flat(tensor_inputs: Any, captured_inputs: Any) -> Any:
        function.__dict__.pop("_call_flat", None)
        with managers.pop()([*tensor_inputs, *captured_inputs]) if managers else contextlib.nullcontext():
            return call(tensor_inputs, captured_inputs)

    function._call_flat = _call_flat


def placeholder(subject: Any, real: Callable[[], Any]) -> Any:
    """Stands where TensorFlow keeps the trace that only created variables. It is never called."""
    from tensorflow.core.function.polymorphism import function_type as function_type_lib

    function_type = function_type_lib.FunctionType(subject.function_type.parameters.values())
    return _replayed_class()(None, function_type, [], real)


def _register(live: Any, packed: bytes, signature: Any) -> tuple[str, list[str]]:
    """Adds the functions to the runtime; the name of the one to call, and of those that it calls.

    The same entry may be needed twice in one process (two equal models). Then the functions get names of their own:
    kernels belong to a function's name, and two models do not share the state of their random operations.
    """
    from tensorflow.core.framework import function_pb2
    from tensorflow.python import pywrap_tfe

    parts = library.unpack(packed)
    name: str = signature.signature.name
    inner = [called for called, _ in parts[:-1]]
    if live.has_function(name):
        definitions = [function_pb2.FunctionDef.FromString(data) for _, data in parts]
        attempt = 1
        while True:
            names = {d.signature.name: f"{d.signature.name}{attempt:03d}" for d in definitions}
            if not any(live.has_function(new) for new in names.values()):
                break
            attempt += 1
        library.rename(definitions, names)
        signature.signature.name = name = names[name]
        parts = [(d.signature.name, d.SerializeToString()) for d in definitions]
        inner = [names[old] for old in inner]
    live.ensure_initialized()
    for _, data in parts:
        pywrap_tfe.TFE_ContextAddFunctionDef(live._handle, data, len(data))
    return name, inner


def _replayed_class() -> Any:
    """Made when first needed, since its base class is TensorFlow's."""
    global _class
    if _class is not None:
        return _class
    from tensorflow.python.eager import context, record
    from tensorflow.python.eager.polymorphic_function import concrete_function

    class ReplayedFunction(concrete_function.ConcreteFunction):  # type: ignore[misc]
        """Runs a kept graph. Whatever is asked of it besides running is answered by a function traced for real."""

        def __init__(
            self, atomic: Any, function_type: Any, captured: list[Any], real: Callable[[], Any]
        ) -> None:
            # Not the base's: it would build the Python graph that we are here to spare.
            self._inference_function = atomic
            self._function_type = function_type
            self._captured_inputs = captured
            self._garbage_collector = concrete_function.ConcreteFunctionGarbageCollector(None)
            self._headstart_real = real
            self._headstart_traced: Any = None

        def _call_flat(self, tensor_inputs: Any, captured_inputs: Any) -> Any:
            kept = self._inference_function is not None
            if kept and context.executing_eagerly() and not record.could_possibly_record():
                return self._inference_function.call_preflattened(tensor_inputs + captured_inputs)
            traced = self.headstart_traced()
            return traced._call_flat(tensor_inputs, traced.captured_inputs)

        def headstart_traced(self) -> Any:
            """The same function, traced for real: made once, and kept beside the graph that goes on running."""
            if self._headstart_traced is None:
                self._headstart_traced = self._headstart_real()
            return self._headstart_traced

        def headstart_give_up(self) -> None:
            """From here on it is the function that was traced for real."""
            self._inference_function = None

        @property
        def name(self) -> Any:
            return self._inference_function.name if self._inference_function is not None else NOT_TRACED

        def __getattr__(self, attribute: str) -> Any:
            if attribute.startswith(("__", "_headstart")):
                raise AttributeError(attribute)
            return getattr(self.headstart_traced(), attribute)

    _class = ReplayedFunction
    return _class
