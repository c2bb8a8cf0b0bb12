"""Keras' ``fit`` in a fresh process traces its step twice: the first trace creates the optimizer's slots and
the metrics, and the weights of a ``Sequential`` that nobody has told its input's shape.

Where it is certain what the first trace would create, it is created before it, in the same order and under
the same names, and one trace is enough. That is so only where all that is traced is Keras' own: code of the
program's would run once instead of twice, and if it prints or counts, that shows. And only for as long as the trace
succeeds: where it fails, what was built is undone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from . import building
from .subject import Subject
from .undo import Snapshot


def prebuild(subject: Subject, runs_program_code: Callable[[], bool]) -> tuple[str, Snapshot] | None:
    """Builds what the coming trace would build; says what, and what there was before. ``None`` where nothing was done."""
    if subject.name != "multi_step_on_iterator" or "keras.src.backend.tensorflow.trainer" not in sys.modules:
        return None
    found = _step(subject) if subject.is_first_call else None
    if found is None:
        return None
    model, step, data, inner = found
    if not _is_plain(model, step):
        return None
    inputs, labels = _inputs_and_labels(data)
    unbuilt = _is_unbuilt_sequential(model, inputs)
    if labels is None or not (unbuilt or _is_built(model)) or not _is_anything_unbuilt(model, step):
        return None
    if runs_program_code():
        return None
    before = Snapshot((subject.function, inner), model)
    built = []
    try:
        if unbuilt:
            building.build_by_call(model, {"inputs": inputs}, "DISABLED")  # as Keras' own functions are
            built.append("model")
        outputs = _outputs(model) if _is_built(model) else None
        if outputs is not None:
            built += _build(model, step == "train_step", labels, outputs)
    except Exception:
        before.restore()
        return (
            None  # layers that do not fit together, no such metric: the trace comes to the same and says so
        )
    return (", ".join(built), before) if built else None


def _step(subject: Subject) -> tuple[Any, str, Any, Any] | None:
    """The model, the name of its step, the specs of its data, and the function around the step: from what Keras'
    function closes over."""
    outer = _closure(_innermost(subject.function._python_function))
    inner = _closure(outer.get("one_step_on_data")).get("step_func")
    step = _closure(_innermost(getattr(inner, "_python_function", None))).get("step_function")
    model = outer.get("self")
    specs = [p.type_constraint for p in subject.function_type.parameters.values()]
    if model is None or len(specs) != 1 or getattr(step, "__self__", None) is not model:
        return None
    elements = getattr(specs[0], "element_spec", None) or getattr(specs[0], "_element_spec", None)
    return (model, str(getattr(step, "__name__", "")), elements, inner) if elements is not None else None


def _innermost(function: Any) -> Any:
    for _ in range(16):
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    return function


def _closure(function: Any) -> dict[str, Any]:
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    found: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            pass
    return found


def _is_plain(model: Any, step: str) -> bool:
    """Keras' own step, loss and metrics, on a model whose outputs are known without running it, once it is built."""
    from keras.src.backend.tensorflow.trainer import TensorFlowTrainer
    from keras.src.models.functional import Functional
    from keras.src.models.sequential import Sequential
    from keras.src.trainers.trainer import Trainer

    kind = type(model)
    own = {"train_step": TensorFlowTrainer, "test_step": TensorFlowTrainer, "compute_loss": Trainer,
           "_compute_loss": Trainer, "compute_metrics": Trainer}  # fmt: skip
    if step not in ("train_step", "test_step"):
        return False
    if any(getattr(kind, name, None) is not base.__dict__.get(name) for name, base in own.items()):
        return False
    if kind.call not in (Functional.call, Sequential.call):
        return False
    if model._distribute_strategy is not None:
        return False
    optimizer = model.optimizer
    return step == "test_step" or optimizer is None or building.is_known(optimizer)


def _is_built(model: Any) -> bool:
    return all(layer.built or building.is_bare(layer) for layer in model._flatten_layers())


def _is_unbuilt_sequential(model: Any, inputs: Any) -> bool:
    """One that its first call builds, from one tensor."""
    from keras.src.layers import InputLayer
    from keras.src.models.sequential import Sequential
    from tensorflow.python.framework import tensor

    return (
        type(model) is Sequential
        and not model.built
        and model._functional is None
        and bool(model._layers)
        and not isinstance(model._layers[0], InputLayer)
        and isinstance(inputs, tensor.TensorSpec)
        and inputs.shape.rank is not None
    )


def _is_anything_unbuilt(model: Any, step: str) -> bool:
    loss, optimizer, metrics = model._compile_loss, model.optimizer, model._compile_metrics
    parts = (model, loss, metrics, optimizer if step == "train_step" else None)
    return any(part is not None and not part.built for part in parts)


def _inputs_and_labels(data: Any) -> tuple[Any, Any]:
    """As specs; no labels where they are not plain tensors."""
    from keras.src import tree
    from keras.src.trainers.data_adapters import data_adapter_utils
    from tensorflow.python.data.ops import optional_ops
    from tensorflow.python.framework import tensor

    def spec(value: Any) -> Any:
        return None if isinstance(value, optional_ops.OptionalSpec) else value

    inputs, labels, _ = data_adapter_utils.unpack_x_y_sample_weight(tree.map_structure(spec, data))
    plain = all(isinstance(part, tensor.TensorSpec) for part in tree.flatten(labels))
    return inputs, labels if plain else None


def _outputs(model: Any) -> Any:
    from keras.src import tree
    from tensorflow.python.framework import tensor

    functional = getattr(model, "_functional", None) or model
    outputs = getattr(functional, "_outputs_struct", None)
    if outputs is None:
        return None
    return tree.map_structure(lambda t: tensor.TensorSpec(t.shape, t.dtype), outputs)


def _labels_for_loss(labels: Any, outputs: Any) -> Any:
    """The labels in the structure of the outputs, as Keras' loss arranges them; ``None`` where it would do more."""
    from keras.src import tree

    try:
        tree.assert_same_structure(outputs, labels)
    except ValueError:
        flat = (list, tuple)
        if not isinstance(outputs, flat) or not isinstance(labels, flat) or len(outputs) != len(labels):
            return None
        if any(tree.is_nested(part) for part in (*outputs, *labels)):
            return None
        return tree.pack_sequence_as(outputs, labels)
    return labels


def _build(model: Any, training: bool, labels: Any, outputs: Any) -> list[str]:
    """In the order in which the step would come to them."""
    built: list[str] = []
    loss, optimizer, metrics = model._compile_loss, model.optimizer, model._compile_metrics
    if loss is not None and not loss.built:
        arranged = _labels_for_loss(labels, outputs)
        if arranged is None:
            return built
        building.build_loss(loss, arranged, outputs)
        built.append("loss")
    weights = model.trainable_weights
    if training and optimizer is not None and not optimizer.built and weights:
        building.build_optimizer(optimizer, weights)
        built.append("optimizer")
    if metrics is not None and not metrics.built:
        building.build_metrics(metrics, labels, outputs)
        built.append("metrics")
    return built
