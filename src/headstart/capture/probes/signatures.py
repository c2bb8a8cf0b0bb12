"""Argument types of a trace as short text, leaf by leaf, so that two traces can be compared."""

from __future__ import annotations

from typing import Any

LEAVES = 40


def describe_arguments(function_type: Any) -> list[list[str]]:
    """[[path, text], ...] for each leaf of each parameter. Text is stable: equal text means equal type."""
    leaves: list[list[str]] = []
    for name, parameter in function_type.parameters.items():
        constraint = parameter.type_constraint
        if constraint is not None:
            _walk(str(name), constraint, leaves)
    return leaves


def _walk(path: str, kind: Any, leaves: list[list[str]]) -> None:
    if len(leaves) >= LEAVES:
        return
    kind = getattr(kind, "named_attributes", kind)  # of a class made with attrs
    components = getattr(getattr(kind, "components_tuple", kind), "components", None)  # of a tuple or a list
    if isinstance(components, tuple) and not hasattr(kind, "dtype"):
        leaves.append([path, f"{type(kind).__name__.lower()} of {len(components)}"])
        for index, part in enumerate(components):
            _walk(f"{path}[{index}]", part, leaves)
        return
    mapping = getattr(kind, "mapping", None)
    if isinstance(mapping, dict):
        for key, part in mapping.items():
            _walk(f"{path}[{key!r}]", part, leaves)
        return
    if hasattr(kind, "attribute_names") and hasattr(kind, "attributes"):
        for key, part in zip(kind.attribute_names, kind.attributes.components, strict=False):
            _walk(f"{path}.{key}", part, leaves)
        return
    leaves.append([path, _leaf(kind)])


def _leaf(kind: Any) -> str:
    name = type(kind).__name__
    if hasattr(kind, "dtype") and hasattr(kind, "shape"):
        dtype = getattr(kind.dtype, "name", str(kind.dtype))
        prefix = "tensor" if name == "TensorSpec" else name.removesuffix("Spec").lower()
        return f"{prefix} {dtype}{_shape(kind.shape)}"
    if name == "Literal":
        value = kind.value
        return f"Python {type(value).__name__} {value!r}"[:120]
    if name == "Weakref":
        value = kind._ref() if hasattr(kind, "_ref") else None
        return f"object {_described(value)}"
    if hasattr(kind, "identifier"):
        return f"{name} {kind.identifier!r}"[:120]
    return f"{name} {kind!r}"[:160]


def _described(value: Any) -> str:
    if value is None:
        return "(gone)"
    label = getattr(value, "__qualname__", None)
    if label:
        return f"{type(value).__name__} {label} at {id(value):#x}"
    return f"{type(value).__qualname__} at {id(value):#x}"


def _shape(shape: Any) -> str:
    try:
        rank = shape.rank
        if rank is None:
            return "[…]"
        return "[" + ",".join("?" if d is None else str(d) for d in shape.as_list()) + "]"
    except Exception:
        return str(shape)
