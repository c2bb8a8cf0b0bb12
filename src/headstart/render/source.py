"""Places in the user's code: short paths and quoted lines."""

from __future__ import annotations

import os
from functools import lru_cache


def short_path(path: str, base: str | None = None) -> str:
    """A path as its owner would say it: relative to where they stand, or from their home folder."""
    folder = base if base is not None else _here()
    if folder and path.startswith(folder.rstrip("/") + "/"):
        return path[len(folder.rstrip("/")) + 1 :]
    if "/site-packages/" in path:
        return path.rpartition("/site-packages/")[2]
    home = os.path.expanduser("~")
    if home not in ("", "/", "~") and path.startswith(home + "/"):
        return "~" + path[len(home) :]
    return path


def place(file: str | None, line: int | None, base: str | None = None) -> str:
    """`train.py:41`, or an empty text where nothing is known."""
    if not file:
        return ""
    return f"{short_path(file, base)}:{line}" if line else short_path(file, base)


def quote(file: str | None, line: int | None) -> str | None:
    """That line of the file, stripped; None when it cannot be read (any more)."""
    if not file or not line or line < 1:
        return None
    lines = _lines(file)
    if lines is None or line > len(lines):
        return None
    return lines[line - 1].strip() or None


def around(file: str | None, line: int | None, reach: int = 2) -> list[tuple[int, str]]:
    """The line with its neighbours, numbered, common indentation removed."""
    lines = _lines(file) if file else None
    if lines is None or not line or not 1 <= line <= len(lines):
        return []
    first, last = max(1, line - reach), min(len(lines), line + reach)
    chosen = [(number, lines[number - 1].expandtabs(4)) for number in range(first, last + 1)]
    indents = [len(text) - len(text.lstrip()) for _, text in chosen if text.strip()]
    cut = min(indents, default=0)
    return [(number, text[cut:].rstrip()[:400]) for number, text in chosen]


@lru_cache(maxsize=64)
def _lines(file: str) -> list[str] | None:
    try:
        if os.path.getsize(file) > 4_000_000:
            return None
        with open(file, encoding="utf-8", errors="replace") as handle:
            return handle.read().split("\n")
    except (OSError, ValueError):
        return None


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return ""
