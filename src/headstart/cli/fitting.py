"""Help that fits the terminal."""

from __future__ import annotations

import re
import shutil
import textwrap

_NARROWEST, _WIDEST = 40, 110
_COLUMNS = re.compile(r"(\s*\S.*?\s{2,})\S")
"""What stands before the second column of a list: `  --json FILE   `."""


def fitted(text: str, width: int | None = None) -> str:
    """Paragraphs are filled anew; in lists and usages, what is too long goes on below where it began."""
    if width is None:
        width = min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST)
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        if _is_prose(line):
            paragraph.append(line)
            continue
        lines += textwrap.wrap(" ".join(paragraph), width, break_long_words=False, break_on_hyphens=False)
        paragraph = []
        lines += _hanging(line, width) if len(line) > width else [line]
    return "\n".join(lines[:-1])


def _is_prose(line: str) -> bool:
    return bool(line) and not line[0].isspace() and not line.startswith("usage:") and "  " not in line


def _hanging(line: str, width: int) -> list[str]:
    found = _COLUMNS.match(line)
    at = len(found[1]) if found else 0
    if not 0 < at <= width - 20:
        at = len(line) - len(line.lstrip()) + 4
    first = line[:at]
    rest = textwrap.wrap(line[at:], width - at, break_long_words=False, break_on_hyphens=False)
    return [first + rest[0], *(" " * at + part for part in rest[1:])]
