"""The report as one page that opens offline: no request leaves it, and its own policy forbids any.

The page's text and tables are plain HTML. Pictures are drawn by the scripts in `web/` from packed data. Scripts
are allowed by their hash alone, so that text from the program could not run even if it were not escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from ..analyse.report import Report
from ..record.nouns import Run
from .markup import esc
from .payload import pack
from .sections import answer, findings, ledger
from .tables import charts, functions, imports, measured, pictures

SCRIPTS = ("uPlot.min.js", "bars.js", "control.js", "charts.js", "page.js")
STYLES = ("uPlot.min.css", "page.css")
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232f5fd0' "
    "d='M2 12h12v2H2zM2 8h8v2H2zM2 4h4v2H2z'/%3E%3C/svg%3E"
)


def render(report: Report, runs: Run | Sequence[Run] = ()) -> str:
    """The page. With the runs behind the report it has a timeline and the flame graph of imports."""
    behind = [runs] if isinstance(runs, Run) else list(runs)
    body = "".join(
        (
            answer(report),
            findings(report),
            ledger(report),
            pictures(report, bool(behind)),
            charts(report),
            functions(report),
            imports(report),
            measured(report),
        )
    )
    return page(f"headstart: {' '.join(report.target.argv)}", report.headstart, body, pack(report, behind))


def page(title: str, version: str, body: str, data: str | None) -> str:
    """A whole document around the sections, with scripts where there is data for them."""
    script = _joined(SCRIPTS, "js") if data is not None else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    scripts = f"'sha256-{digest}'" if script else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {scripts}"
    links = "".join(
        f'<a href="#{name}">{text}</a>' for name, text in LINKS if f'<section id="{name}"' in body
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="generator" content="headstart {esc(version)}">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{esc(title)}</title><link rel="icon" href="{ICON}">'
        f"<style>{_joined(STYLES, 'css')}</style></head><body>"
        '<a class="skip" href="#answer">Skip to the answer</a>'
        '<div class="bar"><div class="bar-in"><span class="brand">headstart</span>'
        f'<nav aria-label="Sections">{links}</nav>'
        + ('<button type="button" id="theme" aria-label="Light or dark">◐</button>' if script else "")
        + f'</div></div><main>{body}<p id="broken" class="broken" hidden></p>'
        "<noscript><p>The pictures need JavaScript; the tables are complete without it.</p></noscript>"
        f"<footer>Made by headstart {esc(version)}. This file makes no network request.</footer></main>"
        + (f'<script type="text/plain" id="data">{data}</script><script>{script}</script>' if script else "")
        + "</body></html>\n"
    )


LINKS = (
    ("findings", "Findings"),
    ("ledger", "Ledger"),
    ("timeline", "Timeline"),
    ("flame-imports", "Imports"),
    ("flame-traces", "Traces"),
    ("steps", "Steps"),
    ("functions", "Functions"),
    ("measured", "Method"),
)


@lru_cache(maxsize=4)
def _joined(names: tuple[str, ...], kind: str) -> str:
    """Our files one after the other; scripts in a function of their own."""
    folder = files(__package__).joinpath("web")
    texts = [folder.joinpath(name).read_text(encoding="utf-8") for name in names]
    if kind == "css":
        text = "\n".join(texts)
        # Pages without scripts, and browsers that run none, follow the system's choice.
        dark = text.partition(':root[data-theme="dark"] {')[2].partition("}")[0]
        return f"{text}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{{dark}}} }}\n"
    return "(() => {\n'use strict';\n" + "\n".join(texts) + "\n})();\n"
