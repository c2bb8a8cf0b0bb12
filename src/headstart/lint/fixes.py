"""Mends files: applies the edits of the problems found, as text, and writes the file back whole or not at all."""

from __future__ import annotations

import ast
import os
import tempfile

from ..advise.rule import Rule
from ..advise.static.source import Edit
from .engine import File, Hit, check

ROUNDS = 10
"""One mended problem may uncover or move another; more rounds than this would mean two fixes that fight."""


def mend(
    file: File, unsafe: bool = False, rules: tuple[Rule, ...] | None = None
) -> tuple[File, int, list[Hit]]:
    """The mended file, how many problems were mended, and what is left."""
    mended = 0
    hits = check(file, rules)
    for _ in range(ROUNDS):
        wanted = [hit for hit in hits if hit.fix == "safe" or (unsafe and hit.fix == "unsafe")]
        chosen = _without_overlaps(wanted)
        if not chosen:
            break
        text = mended_text(file, chosen)
        if text is None:
            # A fix that breaks the file is headstart's mistake: do without it, not without the others.
            chosen = [hit for hit in chosen if mended_text(file, [hit]) is not None]
            text = mended_text(file, chosen) if chosen else None
        if text is None:
            break
        file = File(file.path, text, file.encoding)
        mended += len(chosen)
        hits = check(file, rules)
    return file, mended, hits


def mended_text(file: File, hits: list[Hit]) -> str | None:
    """The text with these hits' edits; None if that would not be a program, or not one in the file's encoding."""
    text = apply(file.text, [edit for hit in hits for edit in hit.problem.edits])
    try:
        ast.parse(text)
        text.encode(file.encoding)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return text


def _without_overlaps(hits: list[Hit]) -> list[Hit]:
    taken: list[Edit] = []
    chosen: list[Hit] = []
    for hit in hits:
        edits = hit.problem.edits
        if not any(edit.start <= other.end and other.start <= edit.end for edit in edits for other in taken):
            taken.extend(edits)
            chosen.append(hit)
    return chosen


def apply(text: str, edits: list[Edit]) -> str:
    """Apply edits that do not overlap."""
    for edit in sorted(edits, key=lambda e: e.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def write(file: File) -> None:
    """Replace the file atomically, with its permissions: a full disk leaves the old one."""
    folder = os.path.dirname(os.path.abspath(os.path.realpath(file.path)))
    target = os.path.realpath(file.path)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".headstart-", suffix=".py")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(file.text.encode(file.encoding))
        os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
