"""How large a traced graph is, which of the user's lines made its nodes, and what was baked into it."""

from __future__ import annotations

from collections import Counter
from typing import Any
from zlib import crc32

from ..bus import now
from ..sites import USER, kind_of
from ._tools import size_of

LINES_FROM_NODES = 1000
"""Graphs smaller than this cannot be slow because of their size; their lines are not looked up."""
LOOKED_UP = 150
"""Ops whose origin is looked up in a large graph, evenly spread: enough for shares of a few per cent."""
LEAST_LOOKED_UP = 24
SHARE_OF_TRACE = 0.004
"""What looking up may cost of the trace's own time; a graph that is worth a word took long to trace."""
REPEATED = 30
"""A line that may have been gone through so often has its ops counted one by one."""
NOW_AND_THEN = 0.2
"""The part of a loop's ops that may be of a kind that not every turn makes."""
LARGE_CONSTANT_BYTES = 1 << 20
KEPT_LINES = 12
_AFTERWARDS = frozenset(
    (
        *("gradient_tape", "gradients", "sgd", "adam", "adamw", "adamax", "adagrad", "adadelta", "adafactor"),
        *("nadam", "rmsprop", "ftrl", "lion", "lamb", "muon"),
    )
)
"""Gradients and the optimizer's own: what follows from the code that was traced, and is not that code."""
_PYTHON = ("PyFunc", "EagerPyFunc", "PyFuncStateless")
_TRACING = ("func_graph_from_py_func", "_create_concrete_function")


def measure(graph: Any, attrs: dict[str, Any], trace_ns: int) -> None:
    operations = graph.get_operations()
    nodes = len(operations)
    attrs["nodes"] = nodes
    if nodes >= LINES_FROM_NODES and not attrs.get("n"):
        _add_lines(operations, attrs, SHARE_OF_TRACE * trace_ns)
    large: list[list[Any]] = []
    python: list[list[Any]] = []
    for operation in operations:
        kind = operation.type
        if kind == "Const":
            output = operation.outputs[0]
            size = size_of(output.shape, output.dtype)
            if size >= LARGE_CONSTANT_BYTES:
                origin = user_line(operation)
                large.append([origin[0] if origin else None, origin[1] if origin else 0, size])
        elif kind in _PYTHON:
            origin = user_line(operation)
            if origin is not None:
                python.append(list(origin))
        elif "Random" in kind:
            attrs["random"] = True
    if large:
        attrs["consts"] = large
    if python:
        attrs["python"] = python


def add_variables(graph: Any, attrs: dict[str, Any]) -> None:
    """How many, and a number that two graphs share when they are over the same: an optimizer's own do not matter."""
    variables = graph.variables
    trained = [variable for variable in variables if variable.trainable]
    names = sorted(variable._unique_id for variable in trained or variables)
    attrs["weights"] = len(names)
    attrs["over"] = crc32(",".join(names).encode())


def _add_lines(operations: Any, attrs: dict[str, Any], budget_ns: float) -> None:
    """Nodes by the innermost user line, and by each user line of the traced code that they were made below."""
    t0 = now()
    user_lines(operations[len(operations) // 2])  # the deeper the stack, the longer it takes
    affordable = int(budget_ns / max(1, now() - t0))
    stride = max(1, len(operations) // min(LOOKED_UP, max(LEAST_LOOKED_UP, affordable)))
    innermost: dict[tuple[str, int], int] = {}
    below: dict[tuple[str, int], int] = {}
    kinds: dict[tuple[str, int], Counter[str]] = {}
    forward = 0
    for operation in operations[::stride]:
        name = operation.name
        lines = user_lines(operation)
        if lines:
            innermost[lines[-1]] = innermost.get(lines[-1], 0) + stride
        if _follows(name) or operation.type == "AddN":  # gradients are summed by it
            continue
        forward += stride
        for line in set(lines):
            below[line] = below.get(line, 0) + stride
            kinds.setdefault(line, Counter())[_stem(name)] += 1
    if innermost:
        attrs["lines"] = [[*line, count] for line, count in _most(innermost)]
    if below:
        attrs["forward"] = forward
        rows: list[list[Any]] = [[*line, count, count // len(kinds[line])] for line, count in _most(below)]
        if any(row[3] >= REPEATED for row in rows):
            made = Counter(_stem(operation.name) for operation in operations if not _follows(operation.name))
            for row in rows:
                if row[3] >= REPEATED:
                    row[3] = min(row[3], _turns(kinds[row[0], row[1]], made))
        attrs["below"] = rows


def _turns(seen: Counter[str], made: Counter[str]) -> int:
    """Each turn of a loop makes each kind of op at least once: the rarest of them counts the turns.

    But for what is made now and then, which is little of what was seen of a loop that turned often.
    """
    rare = [kind for kind in seen if made[kind] < REPEATED]
    if sum(seen[kind] for kind in rare) > NOW_AND_THEN * seen.total():
        return max(made[kind] for kind in rare)
    return min(made[kind] for kind in seen if kind not in rare)


def _most(counts: dict[tuple[str, int], int]) -> list[tuple[tuple[str, int], int]]:
    return sorted(counts.items(), key=lambda item: -item[1])[:KEPT_LINES]


def _follows(name: str) -> bool:
    outermost = name.split("/", 1)[0].lower().rstrip("0123456789").rstrip("_")
    return outermost in _AFTERWARDS or "/gradient_tape/" in name


def _stem(name: str) -> str:
    """`while/MatMul_17` → `MatMul`: the same op of the same line, made again, differs in its number only."""
    last = name.rsplit("/", 1)[-1]
    head, _, number = last.rpartition("_")
    return head if number.isdigit() else last


def user_lines(operation: Any) -> list[tuple[str, int]]:
    """The user's lines of the traced code under which an op was made, outermost first."""
    try:
        frames = list(operation.traceback or ())
    except Exception:
        return []
    lines: list[tuple[str, int]] = []
    for frame in frames:
        if frame.name in _TRACING:
            lines.clear()  # everything above was the call, not the traced code
        elif kind_of(frame.filename) == USER:
            lines.append((frame.filename, frame.lineno))
    return lines


def user_line(operation: Any) -> tuple[str, int] | None:
    """The innermost user line under which an op was made; TensorFlow has mapped AutoGraph's code back."""
    try:
        frames = operation.traceback
    except Exception:
        return None
    for frame in reversed(list(frames or ())):
        if kind_of(frame.filename) == USER:
            return frame.filename, frame.lineno
    return None
