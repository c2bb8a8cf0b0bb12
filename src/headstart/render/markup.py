"""HTML by hand, with one rule: text becomes markup only through `esc`."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence


def esc(text: object) -> str:
    """Any text as HTML text or attribute value."""
    clean = str(text).encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
    return html.escape(clean, quote=True)


def prose(text: object) -> str:
    """Our own sentences: what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", esc(text))


def colour(phase: str) -> str:
    return f"background:var(--p-{esc(phase)})"


def table(
    caption: str, heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], foot: Sequence[str] = ()
) -> str:
    """`heads` are (text, class); cells are markup already."""
    head = "".join(f'<th scope="col" class="{css}">{esc(text)}</th>' for text, css in heads)
    body = "".join(
        "<tr>" + "".join(_cell(cell, css) for cell, (_, css) in zip(row, heads, strict=True)) + "</tr>"
        for row in rows
    )
    foot_row = ""
    if foot:
        cells = "".join(_cell(cell, css) for cell, (_, css) in zip(foot, heads, strict=True))
        foot_row = f"<tfoot><tr>{cells}</tr></tfoot>"
    title = f"<caption>{esc(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll"><table>{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody>{foot_row}</table></div>"
    )


def _cell(cell: str, css: str) -> str:
    return f'<td class="{css}">{cell}</td>' if css else f"<td>{cell}</td>"


def section(identity: str, title: str, body: str, css: str = "") -> str:
    return (
        f'<section id="{identity}" aria-labelledby="{identity}-title" class="{css}">'
        f'<h2 id="{identity}-title">{esc(title)}</h2>{body}</section>'
    )


def card(body: str) -> str:
    return f'<div class="card">{body}</div>'
