"""The upper sections of the page: the answer, the findings and the ledger."""

from __future__ import annotations

from ..analyse.report import Finding, Phase, Report
from . import units
from .markup import card, colour, esc, prose, section, table
from .source import around, place
from .words import phase_label, phase_meaning, step_kind


def answer(report: Report) -> str:
    """What everybody came for, in large figures."""
    steps = report.steps
    if report.time_to_first_step is None:
        head = f"<b>{esc(units.seconds(report.wall_seconds))}</b> in all, no step seen"
    else:
        head = f"<b>{esc(units.seconds(report.time_to_first_step))}</b> to the first step"
    tiles = []
    median = steps.steady_median_seconds
    if median is not None:
        room = f", 95 %: {units.interval(*steps.steady_ci95)}" if steps.steady_ci95 else ""
        tiles.append((units.seconds(median), f"per steady step{room}"))
    if median and steps.first_seconds is not None:
        worth = units.times(steps.first_seconds / median)
        tiles.append(
            (f"{worth} steps", f"would fit into the first one's {units.seconds(steps.first_seconds)}")
        )
    if report.findings:
        lost = units.seconds(sum(finding.seconds_lost for finding in report.findings))
        tiles.append((f"up to {lost}", f"could go: {units.plural(len(report.findings), 'finding')} below"))
    tiles.append((units.seconds(report.wall_seconds), f"in all, {_ending(report)}"))
    shown = "".join(
        f'<div class="card tile"><strong>{esc(a)}</strong><span>{esc(b)}</span></div>' for a, b in tiles
    )
    trend = ""
    if steps.trend is not None and steps.trend.growing:
        gain = units.seconds(steps.trend.slope_seconds_per_step * 100)
        trend = f'<p class="alarm">Steps get slower: {esc(gain)} more every 100 steps.</p>'
    return (
        f'<section id="answer" aria-labelledby="answer-title"><h1 id="answer-title">{head}</h1>'
        f'<p class="command mono">{esc(" ".join(report.target.argv))}</p>'
        f'<div class="tiles">{shown}</div>{trend}{_notes(report)}{_stack(report)}</section>'
    )


def _notes(report: Report) -> str:
    """What the reader should know before believing the figures."""
    items = "".join(f"<li>{prose(note)}</li>" for note in report.notes)
    return f'<ul class="notes">{items}</ul>' if items else ""


def _ending(report: Report) -> str:
    target = report.target
    if target.cut:
        return "then the record is cut"
    if target.signal:
        return f"ended by signal {target.signal}"
    return "still running" if target.exit_code is None else f"exit status {target.exit_code}"


def _stack(report: Report) -> str:
    """The way to the first step (or through the whole run) as one bar."""
    until = report.time_to_first_step
    parts = [
        (phase.id, phase.seconds if until is None else phase.before_first_step_seconds)
        for phase in report.phases
    ]
    total = sum(seconds for _, seconds in parts)
    if total <= 0:
        return ""
    parts = [(name, seconds) for name, seconds in parts if seconds > 0]
    largest = sorted(parts, key=lambda part: -part[1])
    text = ", ".join(f"{phase_label(n)} {units.seconds(s)}" for n, s in largest[:6])
    bars = "".join(
        f'<i style="{colour(name)};flex:{seconds / total:.5f} 0 0" '
        f'title="{esc(phase_label(name))}: {esc(units.seconds(seconds))}"></i>'
        for name, seconds in parts
    )
    items = "".join(
        f'<li><span class="dot" style="{colour(name)}"></span>{esc(phase_label(name))} '
        f"{esc(units.seconds(seconds))}</li>"
        for name, seconds in largest[:9]
    )
    what = "Until the first step" if until is not None else "The whole run"
    return card(
        f'<div class="stack" role="img" aria-label="{esc(what)}: {esc(text)}">{bars}</div>'
        f'<ul class="legend" aria-hidden="true">{items}</ul>'
    )


def findings(report: Report) -> str:
    if not report.findings:
        note = (
            "No cause worth mending was found."
            if report.target.tensorflow
            else "This program uses no TensorFlow."
        )
        return section("findings", "What to change", card(f"<p>{note}</p>"))
    items = "".join(map(_finding, report.findings))
    return section("findings", "What to change", f'<ul class="findings">{items}</ul>')


def _finding(finding: Finding) -> str:
    level = "high" if finding.seconds_lost >= 1 else ""
    where = place(finding.file, finding.line)
    lines = "".join(
        f'<span class="{"hit" if number == finding.line else ""}"><em>{number}</em>{esc(text) or " "}</span>'
        for number, text in around(finding.file, finding.line)
    )
    if not lines and finding.details.get("source"):
        lines = f'<span class="hit"><em>{esc(finding.line or "")}</em>{esc(finding.details["source"])}</span>'
    quoted = (
        f'<pre class="source" tabindex="0" aria-label="source of {esc(where)}">{lines}</pre>' if lines else ""
    )
    tags = [finding.rule, finding.slug, f"{finding.confidence} confidence"]
    tags += ["headstart lint --fix mends it"] if finding.fix_available else []
    return (
        f'<li class="card finding {level}"><header><h3>{prose(finding.title)}</h3>'
        f'<span class="lost">{esc(units.seconds(finding.seconds_lost))} lost</span></header>'
        f'<p class="where mono small">{esc(where)}</p>{quoted}'
        f'<p class="advice">{prose(finding.advice)}</p>'
        f'<p class="tags">{"".join(f"<span class=tag>{esc(tag)}</span>" for tag in tags)}</p></li>'
    )


SMALL_SHARE = 0.004


def ledger(report: Report) -> str:
    phases = [phase for phase in report.phases if phase.seconds > 0]
    small = [phase for phase in phases if phase.share < SMALL_SHARE and phase.id != "unattributed"]
    if len(small) < 2:
        small = []
    large = [phase for phase in phases if phase not in small]
    largest = max((phase.seconds for phase in phases), default=0.0) or 1.0
    stepped = report.time_to_first_step is not None
    heads = [("Phase", ""), ("", "bar-cell"), ("Time", "num"), ("Share", "num wide")]
    heads += [("To step 1", "num")] if stepped else []
    rows = [_ledger_row(phase, largest, stepped) for phase in large]
    if small:
        rest = f"{len(small)} smaller ones"
        rows.append(_figures(esc(rest), "", small, stepped))
    foot = _figures("Sum", "", phases, stepped)
    caption = "Every moment has exactly one owner, the innermost; the parts add up to the whole."
    steps = report.steps
    if steps.count:
        where = place(steps.file, steps.line)
        caption += f" Steps: {units.count(steps.count)} {step_kind(steps.kind)}"
        caption += f" at {where}." if where else "."
    more = ""
    if small:
        inner = table("", heads, [_ledger_row(phase, largest, stepped) for phase in small])
        more = f"<details><summary>The {len(small)} smaller ones</summary>{inner}</details>"
    return section("ledger", "The ledger", card(table(caption, heads, rows, foot) + more))


def _ledger_row(phase: Phase, largest: float, stepped: bool) -> list[str]:
    name = (
        f'<div class="phase"><span class="dot" style="{colour(phase.id)}"></span>'
        f"<span>{esc(phase_label(phase.id))}</span></div>"
        f'<small class="wide">{esc(phase_meaning(phase.id))}</small>'
    )
    bar = f'<i style="{colour(phase.id)};width:{phase.seconds / largest * 100:.2f}%"></i>'
    return _figures(name, bar, [phase], stepped)


def _figures(name: str, bar: str, phases: list[Phase], stepped: bool) -> list[str]:
    row = [name, bar, esc(units.seconds(sum(p.seconds for p in phases)))]
    row.append(esc(units.share(sum(p.share for p in phases))))
    if stepped:
        before = sum(p.before_first_step_seconds for p in phases)
        row.append(esc(units.seconds(before)) if before > 0 else "–")
    return row
