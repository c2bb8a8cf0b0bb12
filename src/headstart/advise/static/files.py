"""Which pipelines visibly do costly work per element: reading and decoding files, working on images."""

from __future__ import annotations

import ast

from .chains import Link
from .source import FunctionNode, Source

_WORK = (
    "tensorflow.io.read_file",
    "tensorflow.io.decode_",
    "tensorflow.image.",
    "tensorflow.audio.",
    "tensorflow.signal.",
)


def tuning_off(source: Source) -> bool:
    """The file switches off what tf.data does by itself: adding a prefetch, making maps parallel."""
    off = ("enabled", "autotune", "apply_default_optimizations", "inject_prefetch", "map_parallelization")
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and node.value.value is False
        and any(isinstance(target, ast.Attribute) and target.attr in off for target in node.targets)
        for node in source.nodes
    )


def draws(source: Source, link: Link) -> bool:
    """The mapped function draws random numbers from a shared state: tf.data does not make it parallel by itself."""
    body = mapped(source, link)
    return body is not None and any(
        isinstance(node, ast.Call)
        and "random" in (name := source.called(node) or "")
        and "stateless" not in name
        for node in ast.walk(body)
    )


def costly_map(source: Source, link: Link) -> bool:
    """The mapped function, if it is in this file, reads or decodes."""
    body = mapped(source, link)
    return body is not None and any(
        isinstance(node, ast.Call) and (source.called(node) or "").startswith(_WORK)
        for node in ast.walk(body)
    )


def mapped(source: Source, link: Link) -> FunctionNode | ast.Lambda | None:
    function = link.argument(0, "map_func")
    if isinstance(function, ast.Lambda):
        return function
    if isinstance(function, ast.Name):
        return next(iter(source.functions.get(function.id, [])), None)
    return None
