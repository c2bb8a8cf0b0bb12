"""What a first trace built, on record: in a later process it is built ahead, and the first trace is not needed.

The first trace of a step that uses an optimizer creates the optimizer's slots and is then thrown away; that of a
step with a model that was never called builds the model. What it did besides is checked before it is put on
record: nothing in reach may have changed but the layers, optimizers, losses and metrics that were built.
"""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass, field
from typing import Any

from .. import unseen
from ..fingerprint import Walk
from ..watch import Window
from . import building, structure
from .subject import state_of

KIND = "preludes"
#: What creating variables runs at once.
CREATING = frozenset({"VarHandleOp", "VarIsInitializedOp", "__inference_initialize_variables"})


class NotRecordable(Exception):
    """The first trace did something that cannot be done ahead."""


@dataclass
class Builds:
    """Listens to Keras' layers, losses and metrics being built, to know with what; in force during one trace."""

    window: Window
    #: What else the trace may build, by id: optimizers, losses, metrics.
    others: frozenset[int]
    calls: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    #: Layers that were built because they were called, without those inside of them, in order: with what, and the
    #: state that it left them in.
    layers: list[tuple[Any, Any, str | None]] = field(default_factory=list)
    #: Layers that drew random numbers when they were built: seeds of initializers, mostly.
    drew: list[Any] = field(default_factory=list)
    _inside: bool = False
    _undo: list[Any] = field(default_factory=list)

    def __enter__(self) -> Builds:
        module = sys.modules.get("keras.src.trainers.compile_utils")
        for name in ("CompileLoss", "CompileMetrics"):
            if module is not None:
                self._listen(getattr(module, name))
        module = sys.modules.get("keras.src.layers.layer")
        if module is not None:
            self._listen_to_layers(module.Layer)
        return self

    def _listen_to_layers(self, kind: Any) -> None:
        inner = kind.__dict__["_maybe_build"]

        def _maybe_build(layer: Any, call_spec: Any) -> Any:
            if layer.built or self._inside:
                return inner(layer, call_spec)
            written = _call(layer, call_spec)
            self._inside = True
            try:
                with self.window.building(lambda: self.drew.append(layer)):
                    result = inner(layer, call_spec)
            finally:
                self._inside = False
            self.layers.append((layer, written, state_of(layer, self.others)))
            return result

        unseen.hide_function(_maybe_build, inner.__code__.co_filename)
        kind._maybe_build = _maybe_build
        self._undo.append(lambda: setattr(kind, "_maybe_build", inner))

    def _listen(self, kind: Any) -> None:
        inner = kind.__dict__["build"]
        calls = self.calls

        def build(instance: Any, y_true: Any, y_pred: Any) -> Any:
            calls.setdefault(id(instance), (_written(y_true), _written(y_pred)))
            return inner(instance, y_true, y_pred)

        unseen.hide_function(build, inner.__code__.co_filename)
        kind.build = build
        self._undo.append(lambda: setattr(kind, "build", inner))

    def __exit__(self, *problem: Any) -> None:
        while self._undo:
            self._undo.pop()()


def _written(value: Any) -> Any:
    """A structure of tensors as specs, or ``None`` where it holds anything else."""
    from tensorflow.core.function import trace_type

    try:
        return [structure.encode(trace_type.from_value(value))]
    except Exception:  # whatever it is, it cannot be repeated
        return None


def _call(layer: Any, call_spec: Any) -> dict[str, Any] | None:
    """What a layer is called with, or ``None`` where that cannot be repeated."""
    try:
        return _described(layer, call_spec)
    except Exception:  # the program's own trace goes on
        return None


def _described(layer: Any, call_spec: Any) -> dict[str, Any] | None:
    from tensorflow.python.autograph.core import ag_ctx
    from tensorflow.python.framework import ops

    # Inside of another scope what is created has other names, which are not repeated.
    scope = str(ops.get_default_graph().get_name_scope())
    if _numbered(scope, layer.name) is None:
        return None
    given: dict[str, Any] = {}
    parameters = layer._call_signature.parameters
    for name, value in call_spec.user_arguments_dict.items():
        parameter = parameters.get(name)
        if parameter is not None and parameter.kind not in _BY_NAME:
            return None
        if value is None or type(value) in (bool, int, float, str):
            given[name] = ["value", value]
        else:
            written = _written(value)
            if written is None:
                return None
            given[name] = ["tensors", *written]
    return {"arguments": given, "autograph": ag_ctx.control_status_ctx().status.name, "scope": scope}


def _numbered(scope: str, name: str) -> re.Match[str] | None:
    """A graph in which a name was in use has given it a number."""
    return re.fullmatch(re.escape(name) + r"(_\d+)?", scope)


_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def unbuilt(walk: Walk) -> list[Any]:
    """Objects in reach that a trace may build."""
    optimizers = sys.modules.get("keras.src.optimizers.base_optimizer")
    compiled = sys.modules.get("keras.src.trainers.compile_utils")
    layers = sys.modules.get("keras.src.layers.layer")
    if optimizers is None or compiled is None or layers is None:
        return []
    kinds = {optimizers.BaseOptimizer, compiled.CompileLoss, compiled.CompileMetrics, layers.Layer}
    # Not isinstance: it asks objects of the program's for their class, which may be code.
    return [
        value for value in walk.objects() if not kinds.isdisjoint(type(value).__mro__) and not value.built
    ]


def others_than_layers(candidates: list[Any]) -> frozenset[int]:
    return frozenset(id(one) for one in candidates if not isinstance(one, _layer_kind()))


def refuse_lost_draws(walk: Walk, builds: Builds) -> None:
    """Raises :class:`NotRecordable` where a layer drew random numbers that building ahead would not draw."""
    for layer in builds.drew:
        if walk.number_of(layer) is None or not layer.built or building.is_bare(layer):
            raise NotRecordable(
                f"it draws random numbers for the layer {layer.name}, which is not built ahead"
            )


def record(walk: Walk, candidates: list[Any], builds: Builds) -> list[Any]:
    """What was built during a trace, in terms of the walk before it; raises :class:`NotRecordable`."""
    effects, called = _layers(walk, builds)
    built = [one for one in candidates if one.built and id(one) not in called]
    inner = {id(getattr(one, "inner_optimizer", None)) for one in built}
    for one in built:
        number = walk.number_of(one)
        if number is None:
            raise NotRecordable("it builds something that was not in reach before")
        if type(one).__name__ in ("CompileLoss", "CompileMetrics"):
            labels, outputs = builds.calls.get(id(one), (None, None))
            if labels is None or outputs is None:
                raise NotRecordable(f"it builds {one.name} in a way that cannot be repeated")
            effects.append(
                ["loss" if type(one).__name__ == "CompileLoss" else "metrics", number, labels, outputs]
            )
        elif building.is_bare(one):
            effects.append(["layer", number, building.describe_layer(one)])
        elif isinstance(one, _layer_kind()):
            raise NotRecordable(f"it builds the layer {one.name} without calling it")
        elif id(one) not in inner:
            effects.append(["optimizer", number, _optimizer(walk, one, effects)])
    order = {"call": 0, "layer": 1, "loss": 2, "optimizer": 3, "metrics": 4}
    return sorted(effects, key=lambda effect: order[effect[0]])


def _layer_kind() -> Any:
    return sys.modules["keras.src.layers.layer"].Layer


def _layers(walk: Walk, builds: Builds) -> tuple[list[Any], set[int]]:
    """The layers that were built by calling them, and (by id) all that was built with them."""
    effects: list[Any] = []
    called: set[int] = set()
    for layer, given, state in builds.layers:
        number = walk.number_of(layer)
        if building.is_bare(layer) or not layer.built:
            continue
        if number is None or given is None or state is None:
            raise NotRecordable(f"it builds the layer {layer.name} in a way that cannot be repeated")
        if state_of(layer, builds.others) != state:
            # It is built once when this is repeated, and not called.
            raise NotRecordable(f"its trace changes the layer {layer.name} by calling it")
        effects.append(["call", number, given])
        called.update(id(one) for one in layer._flatten_layers())
    return effects, called


def _optimizer(walk: Walk, optimizer: Any, effects: list[Any]) -> dict[str, Any]:
    if not building.is_known(optimizer):
        raise NotRecordable(f"it builds a {type(optimizer).__name__}")
    variables = list(optimizer._trainable_variables)
    places = _places(walk, [effect[1] for effect in effects if effect[0] == "call"])
    numbers: list[Any] = []
    for variable in variables:
        number = walk.number_of(variable)
        place = places.get(id(variable)) if number is None else number
        if place is None:
            raise NotRecordable("it builds an optimizer for variables that were not in reach before")
        numbers.append(place)
    known = {id(variable) for variable in variables}
    slots = [v for v in optimizer.variables if walk.number_of(v) is None and id(v) not in known]
    return {"variables": numbers, "scope": _scope(optimizer, slots)}


def _places(walk: Walk, layers: list[int]) -> dict[int, list[int]]:
    """Variables (by id) of layers that were just built: the layer's number, and which of its variables it is."""
    found: dict[int, list[int]] = {}
    for number in layers:
        for index, variable in enumerate(walk.object(number).variables):
            found.setdefault(id(variable), [number, index])
    return found


def _scope(optimizer: Any, slots: list[Any]) -> str:
    """The name scope that TensorFlow was in: in the graph of a trace, a name that was in use is given a number."""
    own, scopes = str(optimizer.name), set()
    for slot in slots:
        # Keras' own names tell where it was built. Inside of another scope than its own it is not repeated.
        if not slot.path.startswith(own + "/"):
            raise NotRecordable(f"it builds an optimizer inside of a name scope ({slot.path})")
        scopes.add(slot.value.name.removesuffix(slot.path[len(own) :] + ":0"))
    if not scopes or type(optimizer).__name__ == "LossScaleOptimizer":
        return own
    if len(scopes) > 1:
        raise NotRecordable(f"it builds an optimizer in several name scopes ({', '.join(sorted(scopes))})")
    return str(scopes.pop())


def perform(effects: list[Any], walk: Walk) -> list[Any]:
    """Builds what is on record; the variables that were created."""
    before = {id(variable) for variable in walk.variables}
    owners = []
    for kind, number, *rest in effects:
        one = walk.object(number)
        owners.append(one)
        if kind == "call":
            given = {name: _given(*value) for name, value in rest[0]["arguments"].items()}
            building.build_by_call(one, given, rest[0]["autograph"], rest[0]["scope"])
        elif kind == "layer":
            building.build_layer(one, rest[0])
        elif kind == "optimizer":
            building.build_optimizer(
                one, [_variable(walk, n) for n in rest[0]["variables"]], rest[0]["scope"]
            )
        else:
            labels, outputs = (structure.decode(part[0]) for part in rest)
            (building.build_loss if kind == "loss" else building.build_metrics)(one, labels, outputs)
    created = [v.value for one in owners for v in one.variables if id(v.value) not in before]
    return list({id(v): v for v in created}.values())


def _variable(walk: Walk, place: Any) -> Any:
    if isinstance(place, int):
        return walk.object(place)
    number, index = place
    return walk.object(number).variables[index]


def _given(kind: str, value: Any) -> Any:
    return structure.decode(value) if kind == "tensors" else value
