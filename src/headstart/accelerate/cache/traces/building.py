"""Building ahead what a Keras step would build while it is first traced: models, losses, optimizers, metrics.

Only a model's weights are drawn, and in a trace too they would be the first that is. Names come out as in a trace.
"""

from __future__ import annotations

import contextlib
from typing import Any

#: Optimizers whose slots are constants, and that build outside of a trace as they do in one.
_OPTIMIZERS = frozenset(
    {"Adam", "AdamW", "Adamax", "Adadelta", "Adagrad", "Adafactor", "Ftrl", "Lion", "Nadam", "RMSprop", "SGD"}
)


def is_known(optimizer: Any) -> bool:
    """Keras' own, of a kind that was studied."""
    kind = type(optimizer)
    if not kind.__module__.startswith("keras.src.optimizers."):
        return False
    if kind.__name__ == "LossScaleOptimizer":
        inner = optimizer.inner_optimizer
        return is_known(inner) and type(inner).__name__ not in ("Nadam", "LossScaleOptimizer")
    return kind.__name__ in _OPTIMIZERS


def is_bare(layer: Any) -> bool:
    """A layer of Keras' own that has nothing to build: it is only marked as built when it is first called."""
    kind = type(layer)
    if not kind.__module__.startswith("keras.src.layers."):
        return False
    from keras.src.layers.layer import Layer
    from keras.src.utils import python_utils

    return (
        isinstance(layer, Layer)
        and python_utils.is_default(layer.build)
        and not layer._layers
        and not layer.variables
    )


def describe_layer(layer: Any) -> dict[str, Any]:
    """How a bare layer was marked as built."""
    shapes = {name: _shape_text(shape) for name, shape in layer._build_shapes_dict.items()}
    return {"shapes": shapes, "path": layer._path, "parent": layer._parent_path}


def build_layer(layer: Any, described: dict[str, Any]) -> None:
    layer.build(**{name: _shape(shape) for name, shape in described["shapes"].items()})
    layer._path, layer._parent_path = described["path"], described["parent"]


def _shape_text(shape: Any) -> Any:
    """Tuples as lists. What is no plain shape comes out different, and is noticed when it is used."""
    return [_shape_text(part) for part in shape] if isinstance(shape, (tuple, list)) else shape


def _shape(written: Any) -> Any:
    return tuple(_shape(part) for part in written) if isinstance(written, list) else written


def build_by_call(layer: Any, given: dict[str, Any], autograph: str, scope: str | None = None) -> None:
    """As a layer's first call does it, with tensors like these in the place of their specs. ``scope`` as below."""
    from keras.src import tree
    from keras.src.layers.layer import CallSpec
    from tensorflow.python.autograph.core import ag_ctx
    from tensorflow.python.framework import ops, tensor
    from tensorflow.python.ops import array_ops

    def stand_in(value: Any) -> Any:
        is_spec = isinstance(value, tensor.TensorSpec)
        return array_ops.placeholder(value.dtype, value.shape) if is_spec else value

    with _scratch_graph(), ag_ctx.ControlStatusCtx(status=ag_ctx.Status[autograph]):
        arguments = {name: tree.map_structure(stand_in, value) for name, value in given.items()}
        call = CallSpec(layer._call_signature, layer._call_context_args, (), arguments)
        with layer._open_name_scope(), ops.name_scope_v2(f"{scope or layer.name}/"):
            layer._maybe_build(call)


def build_loss(loss: Any, labels: Any, outputs: Any) -> None:
    from keras.src import ops

    with _scratch_graph(), ops.name_scope(loss.name):
        loss.build(labels, outputs)


def build_metrics(metrics: Any, labels: Any, outputs: Any) -> None:
    with _scratch_graph():
        metrics.build(labels, outputs)


def build_optimizer(optimizer: Any, variables: list[Any], scope: str | None = None) -> None:
    """As ``Optimizer.apply`` does it when it is not built yet. ``scope`` is the name that a graph in which its own
    was in use has given it instead."""
    from keras.src import backend
    from tensorflow.python.framework import ops

    with contextlib.ExitStack() as inside:
        if type(optimizer).__name__ == "LossScaleOptimizer":
            # It opens the scope of the optimizer inside of it anew for each slot, and in a graph that shows.
            inside.enter_context(_scratch_graph())
        inside.enter_context(backend.name_scope(optimizer.name, caller=optimizer))
        if scope not in (None, optimizer.name):
            inside.enter_context(ops.name_scope_v2(f"{scope}/"))
        optimizer.build(list(variables))
    optimizer.built = True


def _scratch_graph() -> Any:
    """A graph in which to build, as the trace has one: there, and only there, names are made unique.

    It is thrown away. What is built are variables, and those live outside of any graph.
    """
    from tensorflow.python.framework import func_graph

    return func_graph.FuncGraph("multi_step_on_iterator").as_default()
