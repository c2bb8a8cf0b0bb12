"""A comparison as text, Markdown and JSON."""

from __future__ import annotations

import msgspec

from ..analyse.changes import Change, Comparison
from ..analyse.locations import Location
from . import units
from .json import sound
from .layout import Paper, clean, cut, left, right, wrap
from .words import phase_label


def verdict(found: Comparison) -> str:
    """The answer in one sentence."""
    head = found.headline
    if head.verdict == "unknown":
        return f"{head.name}: too few runs to tell a difference from noise"
    gap = "" if head.ratio_ci95 is None else f" ({percents(head.ratio_ci95)})"
    if head.verdict in ("slower", "faster"):
        by = units.seconds(abs(head.difference))
        return f"{head.name}: {found.after.label} is {by} {head.verdict} than {found.before.label}{gap}"
    told = "no difference that can be told"
    if head.difference_ci95 and not head.difference_ci95[0] <= 0 <= head.difference_ci95[1]:
        told = f"perhaps {'slower' if head.difference > 0 else 'faster'}, but not beyond doubt"
    parts = [change for change in found.told if change.group == "phase"]
    if parts:
        names = " and ".join(_phase_and_parts(change) for change in parts[:3])
        return f"{head.name}: {told}{gap}; {names} changed"
    return f"{head.name}: {told}{gap}"


def _phase_and_parts(change: Change) -> str:
    name = phase_label(change.name)
    return f"{name} ({', '.join(change.by[:2])})" if change.by else name


def text(found: Comparison, *, width: int = 80, color: bool = False, unicode: bool = True) -> str:
    paper = Paper(width, color, unicode)
    for letter, side in (("A", found.before), ("B", found.after)):
        label = cut(clean(side.label), paper.width // 2, keep_end=True)
        line = f"{letter}  {label}, {units.plural(side.runs, 'run')}"
        command = clean(" ".join(side.argv))
        paper.add(cut(line + (f" of {command}" if command != clean(side.label) else ""), paper.width))
    paper.add()
    for line in wrap(clean(verdict(found)), paper.width, 3):
        paper.add(paper.paint(line, "bold"))
    for title, changes in shown_groups(found):
        paper.title(title, f"{'A':>9}{'B':>10}{'change':>10}{'95 % interval':>21}")
        for change in changes:
            _row(paper, change)
    for line in _counts(found):
        paper.add(cut(line, paper.width))
    if any(
        change.adjusted and change.verdict in _MARKS for _, group in shown_groups(found) for change in group
    ):
        paper.add()
        note = "Parts are compared after dividing by how fast the machine was in each run."
        paper.add(paper.paint(cut(note, paper.width), "dim"))
    for warning in found.warnings:
        for number, line in enumerate(wrap(clean(warning), paper.width - 9, 3)):
            paper.add(paper.paint("Warning: " if number == 0 else "         ", "yellow") + line)
    return paper.text()


def summary_text(found: list[Location], label: str, runs: int, *, width: int = 80) -> str:
    """One set of runs: where each quantity lies."""
    paper = Paper(width, False, True)
    paper.add(cut(f"{units.plural(runs, 'run')} of {clean(label)}", paper.width))
    for title, group in (("Totals", "total"), ("Phases", "phase")):
        rows = [row for row in found if row.group == group and row.seconds >= 0.005]
        if not rows:
            continue
        paper.title(title, f"{'seconds':>9}{'95 % interval':>19}{'lowest':>11}{'highest':>11}")
        for row in rows:
            figures = right(units.seconds(row.seconds), 9)
            figures += right(units.interval(*row.ci95) if row.ci95 else "", 19)
            figures += right(units.seconds(row.lowest), 11) + right(units.seconds(row.highest), 11)
            paper.row(phase_label(row.name) if group == "phase" else row.name, "", figures)
    return paper.text()


_MARKS = {"slower": ("red", "▲"), "faster": ("green", "▼")}


def shown_groups(found: Comparison) -> list[tuple[str, list[Change]]]:
    """What is worth a line, by group."""
    phases = [c for c in found.phases if c.p_value is not None or max(c.before, c.after) >= 0.05]
    functions = [c for c in found.functions if max(c.before, c.after) >= 0.05][:8]
    groups = [
        ("Totals", found.totals),
        ("Phases", phases),
        ("Functions", functions),
        ("Parts that changed", found.parts[:8]),
    ]
    return [(title, changes) for title, changes in groups if changes]


def _row(paper: Paper, change: Change) -> None:
    style, mark = _MARKS.get(change.verdict, ("", " "))
    room = paper.width - 54
    name = phase_label(change.name) if change.group == "phase" else change.name
    name = left(cut(clean(name), room), room)
    figures = right(units.seconds(change.before), 9) + right(units.seconds(change.after), 10)
    figures += right(percent(change.ratio), 10)
    figures += right(percents(change.ratio_ci95) if change.ratio_ci95 else "", 21)
    line = f"  {name}{mark} {figures}"
    paper.add(paper.paint(line, style) if style else line)


def percent(ratio: float | None) -> str:
    """A factor as a change: 1.1 is +10.0 %."""
    return "" if ratio is None else f"{(ratio - 1) * 100:+.1f} %"


def percents(interval: tuple[float, float]) -> str:
    """An interval of factors as changes."""
    low, high = ((value - 1) * 100 for value in interval)
    return f"{low:+.1f} to {high:+.1f} %"


def _counts(found: Comparison) -> list[str]:
    changed = [change for change in found.counts if change.verdict != "same"]
    lines = ["", "Counts"] if changed else []
    for change in changed:
        lines.append(f"  {change.name}: {units.count(change.before)} → {units.count(change.after)}")
    return lines


def markdown(found: Comparison) -> str:
    """For a pull request's comment."""
    lines = [f"### headstart: {_escape(verdict(found))}", ""]
    lines += ["| | A | B | change | 95 % interval | |", "|---|--:|--:|--:|--:|---|"]
    for _, changes in shown_groups(found):
        for change in changes:
            name = phase_label(change.name) if change.group == "phase" else change.name
            bold = "**" if change.group == "total" else ""
            cells = [
                f"{bold}{_escape(name)}{bold}",
                units.seconds(change.before),
                units.seconds(change.after),
                percent(change.ratio),
                percents(change.ratio_ci95) if change.ratio_ci95 else "",
                change.verdict if change.verdict in _MARKS else "",
            ]
            lines.append("| " + " | ".join(cells) + " |")
    for change in found.counts:
        if change.verdict != "same":
            lines += ["", f"{change.name}: {units.count(change.before)} → {units.count(change.after)}"]
    before, after = found.before, found.after
    lines += [
        "",
        f"A: {_escape(before.label)}, {units.plural(before.runs, 'run')}. "
        f"B: {_escape(after.label)}, {units.plural(after.runs, 'run')}.",
    ]
    lines += [f"- {_escape(warning)}" for warning in found.warnings]
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    text = clean(text)
    for mark in "\\`*_{}[]<>#|":
        text = text.replace(mark, "\\" + mark)
    return text


def json(found: Comparison) -> bytes:
    try:
        data = msgspec.json.encode(found)
    except UnicodeEncodeError:
        data = msgspec.json.encode(sound(msgspec.to_builtins(found)))
    return msgspec.json.format(data, indent=2) + b"\n"
