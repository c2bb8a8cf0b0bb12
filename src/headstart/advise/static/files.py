"""Which pipelines visibly do costly work per element: reading and decoding files, working on images."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .chains import Link
from .source import FunctionNode, Source

_WORK = (
    "tensorflow.io.read_file",
    "tensorflow.io.decode_",
    "tensorflow.image.",
    "tensorflow.audio.",
    "tensorflow.signal.",
)


def works_on_files(source: Source, chain: Iterable[Link]) -> bool:
    return any(costly_map(source, link) for link in chain if link.method == "map")


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
