"""A comparison as a page: the answer, both sides' ledgers on one scale, and every quantity with its interval."""

from __future__ import annotations

from ..analyse.changes import Change, Comparison, Side
from . import units
from .comparison import percent, percents, shown_groups, verdict
from .html import page
from .markup import card, colour, esc, section, table
from .words import phase_label

CSS_OF = {"slower": "alarm", "faster": "good", "more": "alarm", "fewer": "good"}
MARKS = {"slower": "▲ slower", "faster": "▼ faster", "more": "▲ more", "fewer": "▼ fewer"}


def render(found: Comparison) -> str:
    """The page; it needs no script."""
    body = _answer(found) + _ledgers(found)
    for title, changes in shown_groups(found):
        body += section(title.lower(), title, card(_table(changes)))
    counts = [change for change in found.counts if change.verdict != "same"]
    if counts:
        body += section("counts", "Counts", card(_counts(counts)))
    body += _fairness(found)
    title = f"headstart: {found.before.label} against {found.after.label}"
    return page(title, found.headstart, body, None)


def _answer(found: Comparison) -> str:
    tiles = "".join(
        f'<div class="card tile"><span>{esc(letter)}: {esc(side.label)}</span>'
        f"<strong>{esc(units.seconds(value))}</strong>"
        f"<span>{esc(found.headline.name)}, {esc(units.plural(side.runs, 'run'))}</span></div>"
        for letter, side, value in (
            ("A", found.before, found.headline.before),
            ("B", found.after, found.headline.after),
        )
    )
    text = verdict(found)
    return (
        f'<section id="answer" aria-labelledby="answer-title"><h1 id="answer-title" class="long">'
        f"{esc(text[:1].upper() + text[1:])}</h1>"
        f'<div class="tiles">{tiles}</div></section>'
    )


def _ledgers(found: Comparison) -> str:
    """Two stacked bars on one scale: what grew can be seen before it is read."""
    before = sum(change.before for change in found.phases)
    after = sum(change.after for change in found.phases)
    longest = max(before, after) or 1.0
    rows = ""
    for letter, total, side in (("A", before, "before"), ("B", after, "after")):
        parts = [(change.name, float(getattr(change, side))) for change in found.phases]
        bars = "".join(
            f'<i style="{colour(name)};flex:{seconds / longest:.5f} 0 0" '
            f'title="{esc(phase_label(name))}: {esc(units.seconds(seconds))}"></i>'
            for name, seconds in parts
            if seconds > 0
        )
        rest = max(0.0, 1 - total / longest)
        rows += (
            f'<p class="small soft">{letter}: {esc(units.seconds(total))}</p>'
            f'<div class="stack" role="img" aria-label="{letter}: {esc(units.seconds(total))} in all">{bars}'
            f'<span style="flex:{rest:.5f} 0 0"></span></div>'
        )
    names = sorted(found.phases, key=lambda change: -max(change.before, change.after))[:9]
    items = "".join(
        f'<li><span class="dot" style="{colour(change.name)}"></span>{esc(phase_label(change.name))}</li>'
        for change in names
    )
    return section("ledger", "Side by side", card(f'{rows}<ul class="legend">{items}</ul>'))


def _table(changes: list[Change]) -> str:
    heads = [("", ""), ("A", "num"), ("B", "num"), ("Change", "num"), ("95 % interval", "num wide"), ("", "")]
    rows = []
    for change in changes:
        name = phase_label(change.name) if change.group == "phase" else change.name
        dot = f'<span class="dot" style="{colour(change.name)}"></span>' if change.group == "phase" else ""
        rows.append(
            [
                dot + esc(name),
                esc(units.seconds(change.before)),
                esc(units.seconds(change.after)),
                esc(percent(change.ratio)),
                esc(percents(change.ratio_ci95)) if change.ratio_ci95 else "",
                _mark(change),
            ]
        )
    return table("", heads, rows)


def _counts(changes: list[Change]) -> str:
    heads = [("", ""), ("A", "num"), ("B", "num"), ("", "")]
    rows = [
        [esc(c.name.replace("_", " ")), esc(units.count(c.before)), esc(units.count(c.after)), _mark(c)]
        for c in changes
    ]
    return table("", heads, rows)


def _mark(change: Change) -> str:
    text = MARKS.get(change.verdict)
    return f'<span class="{CSS_OF[change.verdict]}">{esc(text)}</span>' if text else ""


_ADJUSTED = "Parts are compared after dividing by how fast the machine was in each run, totals as measured."


def _fairness(found: Comparison) -> str:
    items = [
        "A difference is told when it is several times as large as the noise of these runs, its bootstrap interval "
        "excludes “no change”, and it is large enough to matter.",
        *([_ADJUSTED] if any(change.adjusted for change in found.phases) else []),
        *(f"{letter}: {_describe(side)}" for letter, side in (("A", found.before), ("B", found.after))),
        *found.warnings,
    ]
    body = "".join(f"<li>{esc(item)}</li>" for item in items)
    return section("measured", "How it was compared", card(f'<ul class="plain">{body}</ul>'))


def _describe(side: Side) -> str:
    versions = f"Python {side.python}"
    versions += f", TensorFlow {side.tensorflow}" if side.tensorflow else ""
    versions += f", Keras {side.keras}" if side.keras else ""
    return f"{' '.join(side.argv)} ({units.plural(side.runs, 'run')}, {versions})"
