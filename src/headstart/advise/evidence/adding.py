"""Which line puts things into a container, given the name that the running program has for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..static.source import Source
from .places import Place, source_of

_METHODS = ("append", "extend", "add", "insert", "appendleft", "update", "setdefault", "put")


def line_that_adds(site: list[Any], name: str) -> Place:
    """The line in the file that adds to `name`, in a loop if there is one; else where the program was."""
    file, line = str(site[0]), int(site[1])
    source = source_of(file)
    if source is None:
        return file, line
    found = list(_additions(source, name.rsplit(".", 1)[-1], attribute="." in name))
    in_loop = [node for node in found if source.loops(node)]
    chosen = in_loop or found
    return (file, chosen[0].lineno) if chosen else (file, line)


def _additions(source: Source, name: str, attribute: bool) -> Iterator[ast.expr | ast.stmt]:
    def means(node: ast.expr) -> bool:
        if attribute:
            return isinstance(node, ast.Attribute) and node.attr == name
        return isinstance(node, ast.Name) and node.id == name

    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _METHODS and means(node.func.value):
                yield node
        elif isinstance(node, ast.AugAssign) and means(node.target):
            yield node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if (isinstance(target, ast.Subscript) and means(target.value)) or (
                    means(target) and isinstance(node.value, ast.BinOp) and means(node.value.left)
                ):
                    yield node
