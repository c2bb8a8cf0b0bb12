"""Is a name that an import bound ever used, and does every run get there?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Literal

from .source import Source

Use = Literal["never", "perhaps", "always"]


def use_of(source: Source, line: int) -> tuple[Use, set[str]]:
    """How the names that the import at a line binds are used: never, only where some runs get, or always."""
    names = imported_at(source, line)
    if not names:
        return "always", set()
    uses = _uses(source, line, names)
    if not uses:
        return "never", names
    return ("always" if any(_every_run(source, uses)) else "perhaps"), names


def always_used(source: Source, line: int) -> set[str]:
    """The dotted names, of what the import at a line binds, that every run uses."""
    uses = _every_run(source, _uses(source, line, imported_at(source, line)))
    return {name for node in uses if (name := source.dotted(source.whole_name(node)))}


def _uses(source: Source, line: int, names: set[str]) -> list[ast.Name | ast.Constant]:
    return [
        node
        for node in source.nodes
        if (isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names)
        if node.lineno != line
    ]


def _every_run(source: Source, uses: Iterable[ast.Name | ast.Constant]) -> Iterator[ast.AST]:
    """Those of the uses that no run can get around."""
    reached = _reached(source)
    for node in uses:
        function = source.function(node)
        sure = function is None or id(function) in reached
        if sure and not _conditional(source, node, function or source.tree):
            yield node


def imported_at(source: Source, line: int) -> set[str]:
    for node in source.nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and node.lineno <= line <= (
            node.end_lineno or line
        ):
            if any(alias.name == "*" for alias in node.names):
                return set()
            return {alias.asname or alias.name.split(".")[0] for alias in node.names}
    return set()


def _reached(source: Source) -> set[int]:
    """Functions that every run calls: from the module's own code, and from there on, never under an `if`."""
    reached: set[int] = set()
    frontier: list[ast.AST] = [source.tree]
    while frontier:
        place = frontier.pop()
        for call in source.calls:
            home = source.function(call)
            if (home or source.tree) is not place or _conditional(source, call, place):
                continue
            for part in ast.walk(call):
                # Called, or handed to something that will call it.
                name = (
                    part.id
                    if isinstance(part, ast.Name)
                    else part.attr
                    if isinstance(part, ast.Attribute)
                    else None
                )
                for function in source.functions.get(name or "", []):
                    if id(function) not in reached:
                        reached.add(id(function))
                        frontier.append(function)
        # A class that is used may call any of its own methods.
        for node in ast.walk(place):
            if isinstance(node, ast.ClassDef) and place is source.tree:
                for method in node.body:
                    if (
                        isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
                        and id(method) not in reached
                    ):
                        reached.add(id(method))
                        frontier.append(method)
    return reached


def _conditional(source: Source, node: ast.AST, home: ast.AST) -> bool:
    """Under an `if` (other than the main guard) or in an exception handler, within its function."""
    child = node
    for above in source.ancestors(node):
        if above is home:
            return False
        if isinstance(above, (ast.If, ast.IfExp)) and child is not above.test and not _main_guard(above):
            return True
        if isinstance(above, ast.ExceptHandler):
            return True
        child = above
    return False


def _main_guard(node: ast.If | ast.IfExp) -> bool:
    return (
        isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )
