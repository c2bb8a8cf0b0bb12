"""What a graph holds from outside:

written as places in the walk, found again at the same places in another process.
"""

from __future__ import annotations

import base64
from typing import Any

from ..fingerprint import Walk

#: Constants larger than this are data, and the key would have to hold them.
_MAX_CONSTANT_BYTES = 16 << 20


class Untracked(Exception):
    """Something is captured that no path leads to."""


def describe(captured: list[Any], walk: Walk) -> list[Any]:
    """One item per captured tensor: ``["variable", n]``, ``["tensor", n]`` or ``["constant", …]``."""
    from tensorflow.python.framework import dtypes, ops

    variables = {id(variable.handle): number for number, variable in enumerate(walk.variables)}
    tensors = {id(tensor): number for number, tensor in enumerate(walk.tensors)}
    found: list[Any] = []
    for tensor in captured:
        if id(tensor) in variables:
            found.append(["variable", variables[id(tensor)]])
        elif id(tensor) in tensors:
            found.append(["tensor", tensors[id(tensor)]])
        elif not isinstance(tensor, ops.EagerTensor):
            raise Untracked("it uses a value that is computed at each call")
        elif tensor.dtype in (dtypes.resource, dtypes.variant):
            raise Untracked(
                "it uses a resource that no variable in reach owns (a table, a dataset, a writer)"
            )
        else:
            found.append(["constant", _constant(tensor)])
    return found


def _constant(tensor: Any) -> list[str]:
    """A tensor that was made while tracing, from what the key holds; its value is as fixed as the graph."""
    from tensorflow.python.framework import tensor_util

    data = tensor_util.make_tensor_proto(
        tensor.numpy(), dtype=tensor.dtype, shape=tensor.shape
    ).SerializeToString()
    if len(data) > _MAX_CONSTANT_BYTES:
        raise Untracked(f"it holds a constant of {len(data) >> 20} MB")
    return [base64.b64encode(data).decode(), tensor.device]


def bind(described: list[Any], walk: Walk) -> list[Any]:
    """The live tensors for what :func:`describe` wrote;

    the walk is of the same key, so the numbers mean the same.
    """
    from tensorflow.core.framework import tensor_pb2
    from tensorflow.python.framework import constant_op, ops, tensor_util

    found: list[Any] = []
    for kind, value in described:
        if kind == "variable":
            found.append(walk.variables[value].handle)
        elif kind == "tensor":
            found.append(walk.tensors[value])
        else:
            proto = tensor_pb2.TensorProto.FromString(base64.b64decode(value[0]))
            with ops.device(value[1]):
                found.append(constant_op.constant(tensor_util.MakeNdarray(proto), dtype=proto.dtype))
    return found
