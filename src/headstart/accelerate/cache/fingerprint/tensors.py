"""Plans for TensorFlow's objects. They are made when TensorFlow is loaded; this file never imports it first."""

from __future__ import annotations

import sys
from typing import Any

from . import arrays, classes, plain
from .walk import Unfit, Walk


def plans() -> tuple[dict[type, Any], list[tuple[type, Any]]]:
    """Called only where TensorFlow is loaded."""
    from tensorflow.core.function.trace_type import default_types
    from tensorflow.python.data.ops import dataset_ops, iterator_ops
    from tensorflow.python.distribute import distribute_lib
    from tensorflow.python.eager import backprop, context
    from tensorflow.python.eager.polymorphic_function import concrete_function, polymorphic_function
    from tensorflow.python.framework import dtypes, ops, tensor, tensor_shape, type_spec
    from tensorflow.python.ops import resource_variable_ops
    from tensorflow.python.trackable import data_structures, resource

    def variable(walk: Walk, value: Any) -> None:
        if type(value) not in (
            resource_variable_ops.ResourceVariable,
            polymorphic_function.UnliftedInitializerVariable,
        ):
            raise Unfit(f"it can reach a {type(value).__name__}, a kind of variable that is not known")
        walk.variables.append(value)
        # Not its class: the same variable is of one class when made eagerly and of another when made in a trace.
        walk.emit(
            f"variable {value.dtype.name} {value.shape} {value.trainable} {value.name} {value.device}"
            f" {value.aggregation} {value.synchronization}"
        )
        walk.child(".constraint", value.constraint)
        for name, extra in list(vars(value).items()):
            if name not in _VARIABLE_OWN and not name.startswith("_self_"):
                walk.child("." + name, extra)

    def eager_tensor(walk: Walk, value: Any) -> None:
        if value.dtype in (dtypes.resource, dtypes.variant):
            raise Unfit("it can reach a resource that no variable owns (a table, a dataset, an iterator)")
        walk.tensors.append(value)
        for name, extra in list(vars(value).items()):  # a mask of Keras', say, which its layers look for
            walk.child("." + name, extra)
        data = value.numpy()
        if value.dtype == dtypes.string:
            walk.emit(f"string tensor {value.shape}")
            walk.child("[]", data.tolist() if hasattr(data, "tolist") else data)
            return
        size = getattr(data, "nbytes", 0)
        arrays.content(walk, f"tensor {value.device}", value.dtype.name, value.shape, data.tobytes(), size)

    def polymorphic(walk: Walk, value: Any) -> None:
        if getattr(value, "_descriptor_cache", None) is None:
            raise Unfit("it can reach a tf.function of an unknown form")
        walk.functions.append(value)
        walk.emit(
            f"tf.function {value._name!r} {value._autograph} {value._jit_compile} {value._reduce_retracing}"
        )
        walk.child(".python_function", value._python_function)
        walk.child(".input_signature", value.input_signature)
        walk.child(".attributes", {k: str(v) for k, v in value._attributes.items()})
        walk.child(".options", value._experimental_autograph_options)
        for name, extra in list(vars(value).items()):
            if name[:1] != "_":  # TensorFlow's own all begin so
                walk.child("." + name, extra)

    def spec(walk: Walk, value: Any) -> None:
        walk.emit(f"spec {type(value).__module__}:{type(value).__qualname__}")
        walk.child("", value._serialize())
        # A value of it is made for the trace, with all the methods of its class.
        walk.child(".value_type", value.value_type)

    def strategy(walk: Walk, value: Any) -> None:
        if type(value).__name__ != "_DefaultDistributionStrategy":
            raise Unfit("it uses a distribution strategy")
        walk.emit("default strategy")

    def refuse(reason: str) -> Any:
        def plan(walk: Walk, value: Any) -> None:
            raise Unfit(reason)

        return plan

    def as_text(walk: Walk, value: Any) -> None:
        walk.emit(f"{type(value).__name__} {value}")

    def proxy(walk: Walk, value: Any) -> None:
        walk.emit(type(value).__name__)
        walk.child("", value.__wrapped__)

    exact: dict[type, Any] = {
        dtypes.DType: as_text,
        tensor_shape.TensorShape: as_text,
        polymorphic_function.Function: polymorphic,
        data_structures._DictWrapper: proxy,
        data_structures.ListWrapper: lambda walk, value: walk.child("list", value._storage),
        data_structures._TupleWrapper: proxy,
        default_types.Literal: lambda walk, value: walk.child("literal", value.value),
        default_types.Weakref: lambda walk, value: walk.child("argument", value._ref()),
    }
    bases: list[tuple[type, Any]] = [
        (resource_variable_ops.BaseResourceVariable, variable),
        (ops.EagerTensor, eager_tensor),
        (tensor.Tensor, refuse("it can reach a tensor of another graph")),
        (type_spec.TypeSpec, spec),
        (distribute_lib.StrategyBase, strategy),
        (distribute_lib.StrategyExtendedV2, plain.by_type),
        (dataset_ops.DatasetV2, refuse("it can reach a dataset")),
        (iterator_ops.IteratorBase, refuse("it can reach an iterator over a dataset")),
        (concrete_function.ConcreteFunction, refuse("it can reach a function that was traced before")),
        (backprop.GradientTape, refuse("it can reach an open tape")),
        (context.Context, plain.by_type),
        (ops.Graph, refuse("it can reach a graph")),
        (resource.CapturableResource, refuse("it can reach a table or another resource")),
    ]
    classes.IGNORED["tensorflow.python.trackable.base.Trackable"] = _TRACKING
    message = getattr(sys.modules.get("google.protobuf.message"), "Message", None)
    if message is not None:
        bases.append((message, _message))
    return exact, bases


def _message(walk: Walk, value: Any) -> None:
    walk.emit(f"message {type(value).__qualname__} {value.SerializeToString(deterministic=True).hex()}")


#: Where checkpoints find the parts of an object. The parts are met as attributes; here they have running numbers.
_TRACKING = frozenset(
    """
    _self_unconditional_checkpoint_dependencies _self_unconditional_dependency_names
    _self_setattr_tracking _self_unconditional_deferred_dependencies _self_update_uid
    _self_name_based_restores _self_saveable_object_factories _obj_reference_counts_dict
    """.split()  # noqa: SIM905
)

#: Set by TensorFlow on every variable: identity, bookkeeping, and what is written out above.
_VARIABLE_OWN = frozenset(
    """
    _trainable _synchronization _aggregation _save_slice_info _initial_value _initializer_op
    _is_initialized_op _graph_element _caching_device _dtype _handle _shape _handle_name _unique_id
    _handle_deleter _cached_value _cached_shape_as_list _constraint _in_graph_mode _graph_key
    _keras_initialized _update_uid _xla_sharding _validate_shape _cached_dtype _lifted_initializer_graph
    _variable_read _setattr_tracking _obj_reference_counts_dict _shared_name _initializer
    _export_to_saved_model_graph
    """.split()  # noqa: SIM905
)
