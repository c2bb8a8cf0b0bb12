"""What a first trace built, on record: in a later process it is built ahead, and the first trace is not needed.

The first trace of a step that uses an optimizer creates the optimizer's slots and is then thrown away. What
it did besides is checked before it is put on record: nothing in reach may have changed but the optimizers,
losses and metrics that were built.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from ..fingerprint import Walk
from . import building, structure

KIND = "preludes"
#: What creating variables runs at once.
CREATING = frozenset({"VarHandleOp", "VarIsInitializedOp", "__inference_initialize_variables"})


class NotRecordable(Exception):
    """The first trace did something that cannot be done ahead."""


@dataclass
class Builds:
    """Listens to Keras' losses and metrics being built, to know with what; in force during one trace."""

    calls: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    _undo: list[Any] = field(default_factory=list)

    def __enter__(self) -> Builds:
        module = sys.modules.get("keras.src.trainers.compile_utils")
        for name in ("CompileLoss", "CompileMetrics"):
            if module is not None:
                self._listen(getattr(module, name))
        return self

    def _listen(self, kind: Any) -> None:
        inner = kind.__dict__["build"]
        calls = self.calls

        def build(instance: Any, y_true: Any, y_pred: Any) -> Any:
            calls.setdefault(id(instance), (_written(y_true), _written(y_pred)))
            return inner(instance, y_true, y_pred)

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


def unbuilt(walk: Walk) -> list[Any]:
    """Objects in reach that a trace may build."""
    optimizers = sys.modules.get("keras.src.optimizers.base_optimizer")
    compiled = sys.modules.get("keras.src.trainers.compile_utils")
    if optimizers is None or compiled is None:
        return []
    kinds = (optimizers.BaseOptimizer, compiled.CompileLoss, compiled.CompileMetrics)
    return [
        value
        for value in walk.objects()
        if (isinstance(value, kinds) or building.is_bare(value)) and not value.built
    ]


def record(walk: Walk, candidates: list[Any], builds: Builds) -> list[Any]:
    """What was built during a trace, in terms of the walk before it; raises :class:`NotRecordable`."""
    built = [one for one in candidates if one.built]
    inner = {id(getattr(one, "inner_optimizer", None)) for one in built}
    effects: list[Any] = []
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
        elif id(one) not in inner:
            effects.append(["optimizer", number, _optimizer(walk, one)])
    order = {"layer": 0, "loss": 1, "optimizer": 2, "metrics": 3}
    return sorted(effects, key=lambda effect: order[effect[0]])


def _optimizer(walk: Walk, optimizer: Any) -> dict[str, Any]:
    if not building.is_known(optimizer):
        raise NotRecordable(f"it builds a {type(optimizer).__name__}")
    numbers = [walk.number_of(variable) for variable in optimizer._trainable_variables]
    if any(number is None for number in numbers):
        raise NotRecordable("it builds an optimizer for variables that were not in reach before")
    slots = [variable for variable in optimizer.variables if walk.number_of(variable) is None]
    return {"variables": numbers, "scope": _scope(optimizer, slots)}


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
        if kind == "layer":
            building.build_layer(one, rest[0])
        elif kind == "optimizer":
            building.build_optimizer(one, [walk.object(n) for n in rest[0]["variables"]], rest[0]["scope"])
        else:
            labels, outputs = (structure.decode(part[0]) for part in rest)
            (building.build_loss if kind == "loss" else building.build_metrics)(one, labels, outputs)
    created = [v.value for one in owners for v in one.variables if id(v.value) not in before]
    return list({id(v): v for v in created}.values())
