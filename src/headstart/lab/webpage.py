"""The lab as one self-contained page: nothing is loaded from anywhere."""

from __future__ import annotations

from html import escape

from .answers import ANSWERS, answered
from .catalogue import find_claim
from .result import ClaimResult, LabResult
from .show import ledger_line, machine_line, summary
from .words import comparison, effect

_STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid var(--line); padding: .35rem .5rem; text-align: left; vertical-align: top; }
.verdict { font-weight: 600; white-space: nowrap; }
.holds { color: #15803d; } .partly { color: #b45309; } .fails { color: #b91c1c; } .absent { color: #6b7280; }
@media (prefers-color-scheme: dark) {
  .holds { color: #4ade80; } .partly { color: #fbbf24; } .fails { color: #f87171; } .absent { color: #9ca3af; } }
details { margin: .3rem 0; } summary { cursor: pointer; }
.bar { position: relative; height: .6rem; min-width: 10rem; background: #8882; border-radius: 2px; }
.bar i { position: absolute; top: 0; bottom: 0; background: #3b82f6aa; min-width: 2px; border-radius: 2px; }
.bar b { position: absolute; top: -2px; bottom: -2px; width: 1px; background: currentColor; }
"""
_CLASS = {"holds": "holds", "holds when": "partly", "does not hold": "fails", "not measurable here": "absent"}
_DECADES = (-2.0, 4.0)
"""The bars' scale: factors from a hundredth to ten thousand, by powers of ten."""


def page(result: LabResult) -> str:
    rows = "\n".join(_row(claim) for claim in result.claims)
    answers = "\n".join(
        f"<details><summary><b>{escape(answer.question)}</b></summary>"
        f"{_paragraphs(answered(answer, result))}</details>"
        for answer in ANSWERS
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="generator" content="headstart lab">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>headstart lab</title><style>{_STYLE}</style></head>
<body>
<h1>What is said about slow starts of TensorFlow, measured</h1>
<p>{escape(machine_line(result.environment))}<br>{escape(result.lab)} lab, {escape(result.started)}</p>
<p>{escape(summary(result)).replace(chr(10), "<br>")}</p>
{answers}
<table><thead><tr><th></th><th>claim</th><th>verdict</th><th>effect</th></tr></thead>
<tbody>
{rows}
</tbody></table>
</body></html>
"""


def _row(claim: ClaimResult) -> str:
    about = find_claim(claim.id)
    happens = about.sections().get("What happens", "") if about else ""
    parts = "".join(
        f"<li>{escape((part.when + ': ') * bool(part.when) + comparison(part))}</li>" for part in claim.parts
    )
    remedy = f"<li><b>remedy:</b> {escape(comparison(claim.remedy))}</li>" if claim.remedy else ""
    condition = f"<br>{escape(claim.condition)}" if claim.condition else ""
    return (
        f'<tr id="{claim.id.lower()}"><td>{claim.id}</td>'
        f"<td><details><summary>{escape(claim.claim)}</summary><p>{escape(happens)}</p>"
        f"<ul>{parts}{remedy}<li>{escape(ledger_line(claim))}</li></ul></details></td>"
        f'<td><span class="verdict {_CLASS[claim.verdict]}">{escape(claim.verdict)}</span>{condition}</td>'
        f"<td>{escape(effect(claim))}{_bar(claim)}</td></tr>"
    )


def _bar(claim: ClaimResult) -> str:
    """The interval of the deciding factor on a scale of powers of ten, with a mark at 1 (no effect)."""
    if claim.interval is None or claim.unit != "times":
        return ""
    low, high = (_place(value) for value in claim.interval)
    return (
        f'<div class="bar"><b style="left:{_place(1.0):.1f}%"></b>'
        f'<i style="left:{low:.1f}%;width:{max(high - low, 0.5):.1f}%"></i></div>'
    )


def _place(value: float) -> float:
    from math import log10

    low, high = _DECADES
    return 100 * (min(max(log10(max(value, 1e-12)), low), high) - low) / (high - low)


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_inline(paragraph)}</p>" for paragraph in text.split("\n\n"))


def _inline(text: str) -> str:
    """The little Markdown that the answers use: code, emphasis and links to claims."""
    import re

    made = escape(text)
    made = re.sub(r"`([^`]+)`", r"<code>\1</code>", made)
    made = re.sub(r"\[([CF]\d\d)\]\(#([cf]\d\d)\)", r'<a href="#\2">\1</a>', made)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", made)
