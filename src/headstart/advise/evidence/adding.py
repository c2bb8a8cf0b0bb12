"""Which line puts things into a container, given the name that the running program has for it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ..static.source import Source
from .places import Place, source_of

_METHODS = ("append", "extend", "add", "insert", "appendleft", "update", "setdefault", "put")
_REMOVING = ("pop", "popleft", "popitem", "remove", "clear")
_JOINING = ("concatenate", "concat", "stack", "vstack", "hstack", "array", "asarray")


def line_that_adds(site: list[Any], name: str) -> Place:
    """The line in the file that adds to `name`, in a loop if there is one; else where the program was."""
    file, line = str(site[0]), int(site[1])
    source = source_of(file)
    if source is None:
        return file, line
    found = list(_additions(source, _meaning(name)))
    in_loop = [node for node in found if source.loops(node)]
    chosen = in_loop or found
    return (file, chosen[0].lineno) if chosen else (file, line)


def is_cut_back(site: list[Any], name: str) -> bool:
    """The file also takes things out of `name`, or adds only while it is short: a buffer with a bound."""
    source = source_of(str(site[0]))
    if source is None:
        return False
    means = _meaning(name)
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _REMOVING and means(node.func.value):
                return True
        elif isinstance(node, ast.Delete):
            if any(isinstance(target, ast.Subscript) and means(target.value) for target in node.targets):
                return True
        elif isinstance(node, ast.Assign):
            part = node.value
            sliced = (
                isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice) and means(part.value)
            )
            if sliced and any(means(target) for target in node.targets):
                return True
    return any(
        isinstance(above, ast.If) and _asks_length(above.test, means)
        for node in _additions(source, means)
        for above in source.ancestors(node)
    )


def is_joined(site: list[Any], name: str) -> bool:
    """The file makes one array of all that is in `name`, and keeps that whole: features for a later model, say."""
    source = source_of(str(site[0]))
    if source is None:
        return False
    means = _meaning(name)
    return any(
        isinstance(node.func, (ast.Attribute, ast.Name))
        and (node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id) in _JOINING
        and bool(node.args)
        and means(node.args[0])
        and isinstance(source.parents.get(node), (ast.Assign, ast.AnnAssign, ast.Return))
        for node in source.nodes
        if isinstance(node, ast.Call)
    )


def _asks_length(test: ast.expr, means: Callable[[ast.expr], bool]) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and len(node.args) == 1
        and means(node.args[0])
        for node in ast.walk(test)
    )


def _meaning(name: str) -> Callable[[ast.expr], bool]:
    """Does an expression mean the container? Of `log.entries["train"]`, `….entries[…]` does, if with that key or one
    that is not written out."""
    try:
        written: ast.expr = ast.parse(name, mode="eval").body
    except SyntaxError:
        return lambda node: False  # the variable `.0` of a comprehension, say
    keys: list[object] = []
    while isinstance(written, ast.Subscript):
        keys.append(ast.literal_eval(written.slice))
        written = written.value
    whole = ast.unparse(written)
    last, attribute = whole.rsplit(".", 1)[-1], "." in whole

    def means(node: ast.expr, left: int = 0) -> bool:
        if left == len(keys):
            if attribute:
                return isinstance(node, ast.Attribute) and node.attr == last
            return isinstance(node, ast.Name) and node.id == last
        if isinstance(node, ast.Subscript):
            key, below = node.slice, node.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "setdefault"
            and node.args
        ):
            key, below = node.args[0], node.func.value
        else:
            return False
        other = isinstance(key, ast.Constant) and key.value != keys[left]
        return not other and means(below, left + 1)

    return means


def _additions(source: Source, means: Callable[[ast.expr], bool]) -> Iterator[ast.expr | ast.stmt]:
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
