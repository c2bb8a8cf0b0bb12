"""How large a traced graph is, which of the user's lines made its nodes, and what was baked into it."""

from __future__ import annotations

from typing import Any

from ..sites import USER, kind_of
from ._tools import size_of

LINES_FROM_NODES = 300
"""Graphs smaller than this cannot be slow because of their size; their lines are not looked up."""
LOOKED_UP = 240
"""Ops whose origin is looked up in a large graph, evenly spread: enough for shares of a few per cent."""
LARGE_CONSTANT_BYTES = 1 << 20


def measure(graph: Any, attrs: dict[str, Any]) -> None:
    operations = graph.get_operations()
    nodes = len(operations)
    attrs["nodes"] = nodes
    if nodes >= LINES_FROM_NODES:
        lines = _lines(operations)
        if lines:
            attrs["lines"] = lines
    constants = _large_constants(operations)
    if constants:
        attrs["consts"] = constants


def _lines(operations: Any) -> list[list[Any]]:
    stride = max(1, len(operations) // LOOKED_UP)
    counts: dict[tuple[str, int], int] = {}
    for operation in operations[::stride]:
        origin = user_line(operation)
        if origin is not None:
            counts[origin] = counts.get(origin, 0) + stride
    ranked = sorted(counts.items(), key=lambda item: -item[1])[:12]
    return [[file, line, count] for (file, line), count in ranked]


def user_line(operation: Any) -> tuple[str, int] | None:
    """The innermost user line under which an op was made; TensorFlow has mapped AutoGraph's code back."""
    try:
        frames = operation.traceback
    except Exception:
        return None
    for frame in reversed(list(frames or ())):
        filename = frame.filename
        if kind_of(filename) == USER:
            return filename, frame.lineno
    return None


def _large_constants(operations: Any) -> list[list[Any]]:
    found: list[list[Any]] = []
    for operation in operations:
        if operation.type == "Const":
            output = operation.outputs[0]
            size = size_of(output.shape, output.dtype)
            if size >= LARGE_CONSTANT_BYTES:
                origin = user_line(operation)
                found.append([origin[0] if origin else None, origin[1] if origin else 0, size])
    return found
