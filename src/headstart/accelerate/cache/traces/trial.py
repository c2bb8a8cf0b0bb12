"""The first call of a kept function, made twice: once with what was kept and once with what was traced for real.

Both begin from the same state: the variables are put back in between, and both are given the same element where the
data come from an iterator. The traced function runs last and once only, as it would without us, and its results are
those that the program gets. A function that does more than compute and set variables is not run twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

#: Operations with a state that is put back, or with none that could tell that they have run twice.
_HARMLESS = frozenset(
    {"Assert", "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "If", "IteratorGetNext",
     "PartitionedCall", "ReadVariableOp", "RngReadAndSkip", "RngSkip", "StatefulPartitionedCall", "VarIsInitializedOp",
     "While", "XlaLaunch"}
)  # fmt: skip
_ON_VARIABLES = (
    "ResourceApply",
    "ResourceGather",
    "ResourceScatter",
    "ResourceSparseApply",
    "ResourceStridedSlice",
)


class NotRepeatable(Exception):
    """It cannot be run twice."""


def results_agree(
    definitions: Sequence[Any],
    inputs: list[Any],
    captured: list[Any],
    kept: Callable[[list[Any]], Any],
    traced: Callable[[list[Any]], Any],
) -> tuple[Any, bool | None]:
    """What the traced function gives, and whether the kept one gave the same, bit by bit, and set the same: ``None``
    where its results vary from one run to the next by themselves. Raises :class:`NotRepeatable` before it runs any."""
    from tensorflow.python.framework import dtypes, errors

    source = _check(definitions)
    handles = [t for t in (*inputs, *captured) if t.dtype == dtypes.resource]
    variables = [t for t in handles if _is_variable(t)]
    others = [t for t in handles if not _is_variable(t)]
    given_in = {id(t) for t in inputs}  # tensors do not compare
    if len(others) != (source is not None) or any(id(t) not in given_in for t in others):
        raise NotRepeatable("it uses a resource that is no variable")
    try:
        before = [_read(handle) for handle in variables]
        feeds = _Feeds(inputs, others[0], source) if source is not None else None
    except errors.OpError as problem:
        raise NotRepeatable(f"{type(problem).__name__} before it was run") from None

    def given() -> list[Any]:
        return inputs if feeds is None else feeds.again()

    def tried() -> list[bytes] | None:
        try:
            return _outcome(kept(given()), variables)
        except errors.OpError:
            return None  # the traced one may fail as well, and then the program is told
        finally:
            _restore(variables, before)

    first = tried()
    steady = _deterministic() or tried() == first
    result = traced(given())
    return result, (first == _outcome(result, variables) if steady else None)


def _check(definitions: Sequence[Any]) -> Any:
    """The operation that fetches the data, if there is one; raises where something cannot be done twice."""
    from tensorflow.python.framework import op_def_registry

    source = None
    names = {definition.signature.name for definition in definitions}
    for definition in definitions:
        for node in definition.node_def:
            if node.op == "IteratorGetNext":
                if source is not None or definition is not definitions[-1]:
                    raise NotRepeatable("it fetches more than one element of its data")
                source = node
            elif node.op in _HARMLESS or node.op in names or node.op.startswith(_ON_VARIABLES):
                continue
            else:
                known = op_def_registry.get(node.op)
                seeded = any(node.attr[name].i for name in ("seed", "seed2") if name in node.attr)
                if known is None or (known.is_stateful and not seeded):
                    raise NotRepeatable(f"it runs {node.op}")
    return source


class _Feeds:
    """One element of the program's iterator, handed out again and again by iterators over it alone."""

    def __init__(self, inputs: list[Any], stream: Any, source: Any) -> None:
        from tensorflow.python.framework import dtypes, tensor_shape
        from tensorflow.python.ops import gen_dataset_ops

        self._inputs, self._stream = inputs, stream
        self._types = [dtypes.as_dtype(one) for one in source.attr["output_types"].list.type]
        self._shapes = [tensor_shape.TensorShape(one) for one in source.attr["output_shapes"].list.shape]
        self._element = gen_dataset_ops.iterator_get_next(
            stream, output_types=self._types, output_shapes=self._shapes
        )
        self._held: list[Any] = []

    def again(self) -> list[Any]:
        from tensorflow.python.data.ops import dataset_ops

        # Flat, whatever its structure was: the function knows its parts by their order.
        iterator = iter(dataset_ops.DatasetV2.from_tensors(tuple(self._element)))
        self._held.append(iterator)  # it owns what the function is given
        return [iterator._iterator_resource if one is self._stream else one for one in self._inputs]


def _is_variable(handle: Any) -> bool:
    data = getattr(handle, "_handle_data", None)
    return data is not None and data.is_set and len(data.shape_and_type) == 1


def _read(handle: Any) -> Any:
    from tensorflow.python.ops import gen_resource_variable_ops

    value = gen_resource_variable_ops.read_variable_op(handle, handle._handle_data.shape_and_type[0].dtype)
    return value.numpy()  # a copy: an optimizer may write into the tensor itself


def _restore(handles: Sequence[Any], values: Sequence[Any]) -> None:
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import gen_resource_variable_ops

    for handle, value in zip(handles, values, strict=True):
        gen_resource_variable_ops.assign_variable_op(handle, ops.convert_to_tensor(value))


def _outcome(result: Any, variables: Sequence[Any]) -> list[bytes]:
    """Results and variables, bit by bit. What has no value outside of TensorFlow (a list of tensors, a handle) is
    left out."""
    from tensorflow.python.framework import dtypes
    from tensorflow.python.util import nest

    hidden = (dtypes.variant, dtypes.resource)
    tensors = [part for part in nest.flatten(result, expand_composites=True) if hasattr(part, "numpy")]
    values = [part.numpy() for part in tensors if part.dtype not in hidden]
    return [_bits(value) for value in (*values, *map(_read, variables))]


def _bits(value: Any) -> bytes:
    if hasattr(value, "tobytes") and value.dtype.kind != "O":
        return bytes(value.tobytes())
    return repr(value).encode()  # text


def _deterministic() -> bool:
    from tensorflow.python.framework import config

    return bool(config.is_op_determinism_enabled())
