"""Broken budgets as text, and as GitHub annotations."""

from __future__ import annotations

from collections.abc import Sequence

from ..analyse.budget import Breach
from .layout import clean, wrap
from .source import place, quote


def text(breaches: Sequence[Breach], width: int = 80) -> str:
    """They read like findings: what, where with the line quoted, and what to do."""
    lines: list[str] = []
    for breach in breaches:
        lines += [f"{'  ' if n else ''}{line}" for n, line in enumerate(wrap(clean(breach.title), width, 3))]
        where = clean(place(breach.file, breach.line))
        source = quote(breach.file, breach.line)
        if where:
            lines.append(f"  {where}" + (f"  {clean(source)}" if source else ""))
        lines += [
            f"  {'→' if n == 0 else ' '} {t}" for n, t in enumerate(wrap(clean(breach.advice), width - 4, 4))
        ]
    return "\n".join(lines) + "\n" if lines else ""


def github(breaches: Sequence[Breach]) -> str:
    """Workflow commands: GitHub shows each at its line."""
    return "".join(f"::error {_place(breach)}::{_data(breach.advice)}\n" for breach in breaches)


def _place(breach: Breach) -> str:
    parts = [f"title={_property('headstart: ' + breach.title)}"]
    if breach.file:
        file, _, line = (
            place(breach.file, breach.line).rpartition(":") if breach.line else (breach.file, "", "")
        )
        parts.append(f"file={_property(file)}")
        parts += [f"line={line}"] if line else []
    return ",".join(parts)


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
