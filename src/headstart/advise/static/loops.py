"""Loops in source code: what changes from one turn to the next, and what is called in one."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .source import Loop, Source


def loop_variables(loop: Loop) -> set[str]:
    """The names that the loop itself sets in each turn."""
    if isinstance(loop, ast.While):
        return set()
    return {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}


def assigned(loop: Loop) -> set[str]:
    """Every name that the loop's body sets."""
    found: set[str] = set()
    for statement in loop.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                found.add(node.id)
    return found


def varies(source: Source, node: ast.expr, loops: Sequence[Loop]) -> bool:
    """The expression may have another value in each turn: it uses a name that the loops set."""
    names = source.names(node)
    return any(names & (loop_variables(loop) | assigned(loop)) for loop in loops)


def called_in_loop(source: Source, name: str) -> bool:
    """Some loop of the file calls the function, directly or through one function between."""
    callers = {name}
    for _ in range(2):
        for call in [call for caller in callers for call in source.calls_by_name.get(caller, [])]:
            if source.loops(call) or _comprehended(source, call):
                return True
            around = source.function(call)
            if around is not None:
                callers.add(around.name)
    return False


def _comprehended(source: Source, node: ast.AST) -> bool:
    return any(
        isinstance(above, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        for above in source.ancestors(node)
    )


def comprehended(source: Source, node: ast.AST) -> bool:
    """The node runs once for each element of a comprehension in its own scope; what the first `for` of it goes
    through is made once."""
    below: list[ast.AST] = [node, node]
    for above in source.ancestors(node):
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)):
            return False
        if isinstance(above, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            first = above.generators[0]
            if not (below[-1] is first and below[-2] is first.iter):
                return True
        below.append(above)
    return False


def integers_of(source: Source, loop: Loop) -> set[str]:
    """Loop variables that are Python integers: from `range(…)` and the counter of `enumerate(…)`."""
    if isinstance(loop, ast.While) or not isinstance(loop.iter, ast.Call):
        return set()
    func = loop.iter.func
    if not isinstance(func, ast.Name):
        return set()
    if func.id == "range" and isinstance(loop.target, ast.Name):
        return {loop.target.id}
    if (
        func.id == "enumerate"
        and isinstance(loop.target, ast.Tuple)
        and isinstance(loop.target.elts[0], ast.Name)
    ):
        return {loop.target.elts[0].id}
    return set()
