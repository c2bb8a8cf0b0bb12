"""Tensors that a call has left on an object and that are of no use any more.

A layer of Keras' keeps what was given to ``add_loss`` (an ``activity_regularizer`` does so too) until it is called
again. After a trace, and after a functional model was put together, these are tensors of a graph that is done with.
A trace can count them, but not compute with them: one that does captures them, and is not kept.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from .walk import Walk


def left(walk: Walk, name: str, content: Any) -> None:
    """An attribute that may hold such tensors and nothing else."""
    if isinstance(content, list) and all(map(_is_done_with, content)):
        walk.emit(f".{name}")
        walk.leftovers.append((content, [[one.op.name, one.dtype.name, _dimensions(one)] for one in content]))
    else:
        walk.child("." + name, content)


def _is_done_with(value: Any) -> bool:
    ops = sys.modules["tensorflow.python.framework.ops"]
    symbolic = sys.modules["tensorflow.python.framework.tensor"].Tensor
    if type(value) is not getattr(ops, "SymbolicTensor", symbolic) or value.value_index != 0:
        return False
    graph = ops.get_default_graph()
    while graph is not None:  # a trace inside of another one can use what is the outer one's
        if value.graph is graph:
            return False
        graph = getattr(graph, "outer_graph", None)
    # Of a resource or a variant there is more to know than its type.
    return bool(value.dtype.is_floating or value.dtype.is_integer)


def _dimensions(value: Any) -> list[int | None] | None:
    return None if value.shape.rank is None else list(value.shape.as_list())


def written(walk: Walk) -> list[list[list[Any]]]:
    """What was left, as it shows when it is printed."""
    return [was for _, was in walk.leftovers]


def put_back(walk: Walk, given: list[list[list[Any]]]) -> None:
    """In place of what is there now: tensors that look like those that a trace left."""
    from tensorflow.python.framework import func_graph
    from tensorflow.python.ops import array_ops

    if written(walk) == given:
        return
    graph = func_graph.FuncGraph("left")
    made: dict[str, Any] = {}
    with graph.as_default():
        for (content, _), tensors in zip(walk.leftovers, given, strict=True):
            for name, kind, shape in tensors:
                if name not in made:  # one tensor may have been added twice
                    made[name] = array_ops.placeholder(kind, shape, name=name)
            list.__setitem__(content, slice(None), [made[name] for name, _, _ in tensors])


@contextlib.contextmanager
def as_then(walk: Walk, then: list[list[list[Any]]]) -> Iterator[None]:
    """For a while; afterwards everything is as it was."""
    now = [list(content) for content, _ in walk.leftovers]
    put_back(walk, then)
    try:
        yield
    finally:
        for (content, _), was in zip(walk.leftovers, now, strict=True):
            list.__setitem__(content, slice(None), was)
