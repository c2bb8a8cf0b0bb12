"""Loops that were unrolled into a graph: from nodes per line to the `for` that made them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from math import prod

from ...record.nouns import Span
from ..static.source import Loop
from .places import loops_at, source_of, statement_at

TURNS = 30
SHARE = 0.5
"""The part of the graph (gradients left out) that the loop must have made."""


@dataclass(frozen=True)
class Unrolled:
    file: str
    line: int
    last: int
    share: float
    turns: int
    counts: bool
    """Turns over numbers or slices of a tensor; a loop over a list may be over the layers of a deep model."""


def unrolled_loops(trace: Span) -> list[Unrolled]:
    """Most nodes first."""
    forward = int(trace.attrs.get("forward") or 0)
    below: list[tuple[str, int, int, int]] = [
        (str(f), int(n), int(c), int(r)) for f, n, c, r in trace.attrs.get("below") or ()
    ]
    if not forward or not below:
        return []
    found: dict[tuple[str, int], tuple[Loop, int, int]] = {}
    for file, line, count, repeats in below:
        loops = loops_at(file, line)
        bounds = [_known_turns(file, loop) for loop in loops]
        if bounds and all(bounds):
            # A line is gone through as often as its loops say; were it called in a loop, that is another one.
            repeats = min(repeats, prod(bounds))
        for loop in loops:
            key = (file, loop.lineno)
            _, nodes, turns = found.get(key, (loop, 0, 0))
            found[key] = (loop, nodes + count, max(turns, repeats))
    large = [
        (file, loop, min(1.0, nodes / forward), turns)
        for (file, _), (loop, nodes, turns) in found.items()
        if nodes >= SHARE * forward and turns >= TURNS and not _over_tensor(file, loop)
    ]
    if large:
        # Of loops inside one another, the one that is known to turn most often; else the outermost.
        file, loop, share, turns = max(
            large, key=lambda item: (_known_turns(item[0], item[1]), -item[1].lineno)
        )
        turns = max(2, _known_turns(file, loop) or turns)
        counts = _counts(file, loop) and not (
            _indexes(loop) and int(trace.attrs.get("weights") or 0) >= turns
        )
        return [Unrolled(file, loop.lineno, loop.end_lineno or loop.lineno, share, turns, counts)]
    return [
        Unrolled(file, line, line, min(1.0, count / forward), repeats, False)
        for file, line, count, repeats in below
        if count >= SHARE * forward and repeats >= TURNS and _comprehends(file, line)
    ][:1]


def _known_turns(file: str, loop: Loop) -> int:
    """The literal bound of `range(n)`, 0 when the source does not say."""
    source = source_of(file)
    if source is None or isinstance(loop, ast.While) or not isinstance(loop.iter, ast.Call):
        return 0
    call = loop.iter
    if isinstance(call.func, ast.Name) and call.func.id == "range":
        bounds = [source.integer(node) for node in call.args]
        numbers = [b for b in bounds if b is not None]
        if len(numbers) == len(bounds) and numbers:
            return len(range(*numbers))
    return 0


def _counts(file: str, loop: Loop) -> bool:
    source = source_of(file)
    if isinstance(loop, ast.While) or source is None:
        return True
    over = loop.iter
    while isinstance(over, ast.Call):
        name = (
            over.func.id
            if isinstance(over.func, ast.Name)
            else over.func.attr
            if isinstance(over.func, ast.Attribute)
            else ""
        )
        if name in ("range", "arange", "unstack", "split", "linspace"):
            return True
        if name not in ("enumerate", "reversed", "list", "tqdm", "zip", "sorted") or not over.args:
            return False
        over = over.args[0]
    return False


def _indexes(loop: Loop) -> bool:
    """`layers[i]`: with weights for every turn, it numbers the layers of a deep model."""
    if isinstance(loop, ast.While) or not isinstance(loop.target, ast.Name):
        return False
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Name)
        and node.slice.id == loop.target.id
        for statement in loop.body
        for node in ast.walk(statement)
    )


def _over_tensor(file: str, loop: Loop) -> bool:
    source = source_of(file)
    if source is None or isinstance(loop, ast.While) or not isinstance(loop.iter, ast.Call):
        return False
    return source.called(loop.iter) == "tensorflow.range"


def _comprehends(file: str, line: int) -> bool:
    statement = statement_at(file, line)
    return statement is not None and any(
        isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp))
        for node in ast.walk(statement)
    )
