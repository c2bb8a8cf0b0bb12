"""Text in columns: display width, cutting, wrapping and colour, by hand.

rich's console would do this too, but it takes longer to import than the whole report takes to make, and the
user is waiting for it after their program has ended. rich is asked only for the width of wide characters.
"""

from __future__ import annotations

import re
import textwrap

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_COLOURS = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
    "magenta": "35",
}
_ASCII = str.maketrans({"–": "-", "→": ">", "·": "|", "…": "~", "×": "x", "µ": "u", "“": '"', "”": '"'})
_EIGHTHS = " ▏▎▍▌▋▊▉"


def clean(text: str) -> str:
    """Text from the program (a path, a name) without anything that could steer the terminal."""
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text.expandtabs(4))
    return text.encode("utf-8", "replace").decode()


def width_of(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int, *, keep_end: bool = False) -> str:
    """At most `width` columns; an ellipsis says that something is missing."""
    if width <= 0:
        return ""
    if width_of(text) <= width:
        return text
    letters = list(reversed(text)) if keep_end else list(text)
    kept: list[str] = []
    room = width - 1
    for letter in letters:
        room -= width_of(letter)
        if room < 0:
            break
        kept.append(letter)
    return "…" + "".join(reversed(kept)) if keep_end else "".join(kept) + "…"


def left(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))


def right(text: str, width: int) -> str:
    return " " * max(0, width - width_of(text)) + text


def wrap(text: str, width: int, most: int) -> list[str]:
    """Lines of at most `width` columns, at most `most` of them."""
    lines = textwrap.wrap(text, max(20, width), break_on_hyphens=False) or [""]
    if len(lines) > most:
        lines = lines[:most]
        lines[-1] = cut(lines[-1] + " …", width) if width_of(lines[-1]) + 2 > width else lines[-1] + " …"
    return [cut(line, width) for line in lines]


def bar(part: float, width: int) -> str:
    """A bar of `part` (0 to 1) of the width, to an eighth of a column."""
    eighths = round(min(max(part, 0.0), 1.0) * width * 8)
    if part > 0 and eighths == 0:
        eighths = 1
    full, rest = divmod(eighths, 8)
    return left("█" * full + (_EIGHTHS[rest] if rest else ""), width)


class Paper:
    """Collects lines; knows whether colour and Unicode are wanted."""

    def __init__(self, width: int, color: bool, unicode: bool) -> None:
        self.width = min(max(width, 60), 120)
        self._color = color
        self._unicode = unicode
        self._lines: list[str] = []

    def paint(self, text: str, *styles: str) -> str:
        if not self._color or not styles or not text:
            return text
        codes = ";".join(_COLOURS[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def add(self, line: str = "") -> None:
        self._lines.append(line.rstrip())

    def title(self, text: str, beside: str = "") -> None:
        """A heading after an empty line, with column names at its right."""
        if self._lines:
            self.add()
        gap = self.width - width_of(text) - width_of(beside)
        self.add(self.paint(text, "bold") + (" " * max(2, gap) + self.paint(beside, "dim") if beside else ""))

    def row(self, name: str, where: str, figures: str) -> None:
        """A line of a table: a name, its place in the code where there is room, figures at the right edge."""
        room = self.width - width_of(figures) - 3
        name = cut(clean(name), room if not where else max(10, room * 11 // 20, room - 2 - width_of(where)))
        left_over = room - width_of(name) - 2
        where = cut(clean(where), left_over, keep_end=True) if where and left_over >= 8 else ""
        used = width_of(name) + (2 + width_of(where) if where else 0)
        text = "  " + name + ("  " + self.paint(where, "cyan") if where else "")
        self.add(text + " " * (room + 1 - used) + figures)

    def text(self) -> str:
        text = "\n".join(self._lines) + "\n"
        if self._unicode:
            return text
        text = re.sub("[█▉▊▋▌]", "#", text)
        text = re.sub("[▏▎▍]", ":", text).translate(_ASCII)
        return text.encode("ascii", "replace").decode()
