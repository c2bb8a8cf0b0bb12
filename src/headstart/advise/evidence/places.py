"""Lines of the user's code: their text, what is around them, and which spans happened at one."""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache

from ...record.nouns import Span
from ..static.source import Loop, Source

Place = tuple[str, int]


def place(span: Span) -> Place | None:
    site = span.site
    return (site[0], site[1]) if site else None


def by_place(spans: Iterable[Span], of: Callable[[Span], Place | None] = place) -> dict[Place, list[Span]]:
    """Spans by the user's line; those without one are left out."""
    found: dict[Place, list[Span]] = defaultdict(list)
    for span in spans:
        where = of(span)
        if where is not None:
            found[where].append(span)
    return dict(found)


@lru_cache(maxsize=128)
def source_of(path: str) -> Source | None:
    """The user's file as it is now, parsed; None when it cannot be read (code from `-c`, a notebook cell)."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > 4_000_000:
            return None
        with open(path, encoding="utf-8") as handle:
            return Source(path, handle.read())
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None


def statement_at(path: str, line: int) -> ast.stmt | None:
    """The innermost statement that covers a line."""
    source = source_of(path)
    if source is None:
        return None
    best: ast.stmt | None = None
    for node in source.nodes:
        if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if best is None or node.lineno >= best.lineno:
            best = node
    return best


def loops_at(path: str, line: int) -> list[Loop]:
    """The loops around a line in its own function, innermost first."""
    source = source_of(path)
    statement = statement_at(path, line)
    if source is None or statement is None:
        return []
    found = source.loops(statement)
    if isinstance(statement, (ast.For, ast.While)) and line > statement.lineno:
        found = [statement, *found]
    return found


def text_at(path: str, line: int) -> str:
    source = source_of(path)
    if source is None or not 0 < line <= len(source.lines):
        return ""
    return source.lines[line - 1].strip()


def short(path: str) -> str:
    return os.path.basename(path)
