"""What a function takes or returns, as JSON and back: containers in their order, tensors and their kin as
TensorFlow's own specs.

TensorFlow's coder forgets the order of dictionaries, which a program can see; so containers are written here
and only single specs are left to it. Whether the way back gives the very same is checked before anything is
kept.
"""

from __future__ import annotations

import base64
import collections
from typing import Any


class CannotWrite(Exception):
    """A kind of result that has no written form."""


def encode(output: Any, values: bool = False) -> Any:
    """``output`` is a trace type: what ``FunctionType.output`` holds. Python's own ``values`` are for arguments."""
    from tensorflow.core.function.trace_type import default_types
    from tensorflow.python.data.ops import optional_ops
    from tensorflow.python.framework import type_spec

    if isinstance(output, default_types.Literal):
        if output.value is None:
            return None
        if values and type(output.value) in (bool, int, float, str):
            return ["value", output.value]
        raise CannotWrite(f"it {_verb(values)} the Python value {output.value!r}")
    if isinstance(output, default_types.Tuple):
        return ["tuple", [encode(part, values) for part in output.components]]
    if isinstance(output, default_types.List):
        return ["list", [encode(part, values) for part in output.components_tuple.components]]
    if isinstance(output, default_types.Dict):
        kind = {dict: "dict", collections.OrderedDict: "ordered"}.get(output._placeholder_type)
        if kind is None or not all(isinstance(key, str) for key in output.mapping):
            raise CannotWrite(f"it {_verb(values)} a mapping of an unusual kind")
        return [kind, [[key, encode(part, values)] for key, part in output.mapping.items()]]
    if isinstance(output, optional_ops.OptionalSpec):
        return ["optional", _encode_plain(output._element_spec)]
    if isinstance(output, type_spec.TypeSpec):
        return ["spec", _spec_text(output)]
    raise CannotWrite(f"it {_verb(values)} a {type(output).__name__}")


def _verb(values: bool) -> str:
    return "takes" if values else "returns"


def _encode_plain(value: Any) -> Any:
    """Inside specs, structures are plain Python containers."""
    from tensorflow.python.framework import type_spec

    if value is None:
        return None
    if isinstance(value, type_spec.TypeSpec):
        return ["spec", _spec_text(value)]
    if type(value) in (tuple, list):
        return [type(value).__name__, [_encode_plain(part) for part in value]]
    if type(value) is dict and all(isinstance(key, str) for key in value):
        return ["dict", [[key, _encode_plain(part)] for key, part in value.items()]]
    raise CannotWrite(f"it returns a {type(value).__name__} inside of an optional")


def _spec_text(spec: Any) -> str:
    from tensorflow.python.saved_model import nested_structure_coder

    try:
        return base64.b64encode(nested_structure_coder.encode_structure(spec).SerializeToString()).decode()
    except (nested_structure_coder.NotEncodableError, TypeError, ValueError) as problem:
        raise CannotWrite(f"it returns a {type(spec).__name__} ({problem})") from None


def decode(written: Any) -> Any:
    """A Python structure of specs, from which TensorFlow makes the trace type again."""
    if written is None:
        return None
    kind, content = written
    if kind == "value":
        return content
    if kind == "tuple":
        return tuple(decode(part) for part in content)
    if kind == "list":
        return [decode(part) for part in content]
    if kind == "dict":
        return {key: decode(part) for key, part in content}
    if kind == "ordered":
        return collections.OrderedDict((key, decode(part)) for key, part in content)
    if kind == "optional":
        from tensorflow.python.data.ops import optional_ops

        return optional_ops.OptionalSpec(decode(content))
    from tensorflow.core.protobuf import struct_pb2
    from tensorflow.python.saved_model import nested_structure_coder

    proto = struct_pb2.StructuredValue.FromString(base64.b64decode(content))
    return nested_structure_coder.decode_proto(proto)


def checked(output: Any, values: bool = False) -> Any:
    """The written form of a type, once it is certain that it can be read back."""
    from tensorflow.core.function import trace_type

    written = encode(output, values)
    again = trace_type.from_value(decode(written))
    if again != output or repr(again) != repr(output):
        raise CannotWrite(f"it {_verb(values)} a structure that is not read back as it was")
    return written
