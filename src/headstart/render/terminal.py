"""The report as text: the answer first, then the ledger, then what to do, then the details."""

from __future__ import annotations

from ..analyse.report import Finding, Phase, Report
from . import units
from .details import details
from .layout import Paper, bar, clean, cut, left, right, width_of, wrap
from .source import place, quote
from .words import phase_label, step_kind

MOST_FINDINGS = 12
SMALL_SHARE = 0.004
LABEL = 20


def render(report: Report, *, width: int = 80, color: bool = False, unicode: bool = True) -> str:
    """The whole report, lines of at most `width` columns (60 to 120)."""
    paper = Paper(width, color, unicode)
    _answer(paper, report)
    _ledger(paper, report)
    _findings(paper, report.findings)
    details(paper, report)
    return paper.text()


# --- the answer ---------------------------------------------------------------------------------------------


def _answer(paper: Paper, report: Report) -> None:
    target = report.target
    versions = [f"Python {target.python}"]
    versions += [f"TensorFlow {target.tensorflow}"] if target.tensorflow else []
    versions += [f"Keras {target.keras}"] if target.keras else []
    head = f"headstart {report.headstart}"
    command = clean(" ".join(target.argv))
    paper.add(paper.paint(head, "bold") + "  " + cut(command, paper.width - width_of(head) - 2))
    paper.add(paper.paint(cut(" · ".join([*versions, _ending(report)]), paper.width), "dim"))
    paper.add()
    steps = report.steps
    if report.time_to_first_step is None:
        paper.add(f"  {paper.paint(units.seconds(report.wall_seconds), 'bold')} in all; no step was seen")
        if target.tensorflow:
            hint = "call headstart.step() in the program's loop to mark its steps"
            paper.add(paper.paint(cut(f"  {hint}", paper.width), "dim"))
        return
    first = units.seconds(report.time_to_first_step)
    paper.add(f"  {paper.paint(first, 'bold')} from process start to the end of the first step")
    if steps.steady_median_seconds is None or steps.first_seconds is None:
        if steps.first_seconds is not None:
            paper.add(f"  {units.seconds(steps.first_seconds)} of it in the step itself; there was no other")
        return
    median = units.seconds(steps.steady_median_seconds)
    room = ""
    if steps.steady_ci95 is not None:
        room = f" (95 %: {units.interval(*steps.steady_ci95)})"
    paper.add(f"  {paper.paint(median, 'bold')} per steady step{room}")
    if steps.steady_median_seconds > 0:
        worth = steps.first_seconds / steps.steady_median_seconds
        text = f"  the first step took {units.seconds(steps.first_seconds)}"
        paper.add(f"{text}: as long as {paper.paint(units.times(worth), 'bold')} steady ones")
    kind = f"{units.count(steps.count)} {step_kind(steps.kind)}"
    detail = f"  steady from step {steps.warmup_steps + 1} of {kind}"
    where = clean(place(steps.file, steps.line))
    if where:
        detail += ", " + cut(where, paper.width - width_of(detail) - 2, keep_end=True)
    paper.add(paper.paint(cut(detail, paper.width), "dim"))
    trend = steps.trend
    if trend is not None and trend.growing:
        gain = units.seconds(trend.slope_seconds_per_step * 100)
        paper.add("  " + paper.paint(f"steps get slower: {gain} more every 100 steps", "red"))


def _ending(report: Report) -> str:
    target = report.target
    took = units.seconds(report.wall_seconds)
    if target.cut:
        return f"cut after {took}"
    if target.signal:
        return f"ended by signal {target.signal} after {took}"
    if target.exit_code is None:
        return f"{took} so far"
    return f"exit {target.exit_code} after {took}"


# --- the ledger ---------------------------------------------------------------------------------------------


def _ledger(paper: Paper, report: Report) -> None:
    wall = units.seconds(report.wall_seconds)
    stepped = report.time_to_first_step is not None
    paper.title(
        f"Where the {wall} went", f"{'seconds':>9}{'share':>9}{'to step 1':>11}"[: 29 if stepped else 18]
    )
    shown, folded = _fold(report.phases)
    largest = max((phase.seconds for phase in shown), default=0.0) or 1.0
    columns = 29 if stepped else 18
    room = max(6, paper.width - LABEL - columns - 3)
    for phase in shown:
        label = phase_label(phase.id)
        style = {"unattributed": "dim", "steady-steps": "green", "first-step": "green"}.get(phase.id, "cyan")
        line = "  " + left(cut(label, LABEL), LABEL) + paper.paint(bar(phase.seconds / largest, room), style)
        paper.add(line + " " + _figures(phase.seconds, phase.share, phase.before_first_step_seconds, stepped))
    if folded:
        total = sum(phase.seconds for phase in folded)
        share = sum(phase.share for phase in folded)
        before = sum(phase.before_first_step_seconds for phase in folded)
        label = left(cut(f"{len(folded)} smaller ones", LABEL), LABEL)
        line = "  " + label + " " * room + " " + _figures(total, share, before, stepped)
        paper.add(paper.paint(line, "dim"))


def _fold(phases: list[Phase]) -> tuple[list[Phase], list[Phase]]:
    """Phases worth a line, and the rest in sum: the lines still add up to the whole."""
    small = [p for p in phases if p.share < SMALL_SHARE and p.id != "unattributed"]
    nonzero = [p for p in small if p.seconds > 0]
    if len(nonzero) == 1:  # one small phase takes one line either way: say its name
        small = [p for p in small if p.seconds <= 0]
    dropped = {p.id for p in small}
    return [p for p in phases if p.id not in dropped], [p for p in small if p.seconds > 0]


def _figures(seconds: float, share: float, before: float, stepped: bool) -> str:
    text = right(units.seconds(seconds), 9) + right(units.share(share), 9)
    if stepped:
        text += right(units.seconds(before) if before > 0 else "-", 11)
    return text


# --- findings -----------------------------------------------------------------------------------------------


def _findings(paper: Paper, findings: list[Finding]) -> None:
    if not findings:
        return
    lost = sum(finding.seconds_lost for finding in findings)
    paper.title(f"What to change: {units.plural(len(findings), 'finding')}", f"up to {units.seconds(lost)}")
    for finding in findings[:MOST_FINDINGS]:
        _finding(paper, finding)
    if len(findings) > MOST_FINDINGS:
        more = len(findings) - MOST_FINDINGS
        paper.add(paper.paint(f"  and {more} smaller; --json FILE has them all", "dim"))


def _finding(paper: Paper, finding: Finding) -> None:
    """At most five lines: what, where with the line quoted, and the change to make."""
    lost = units.seconds(finding.seconds_lost)
    room = paper.width - 8 - 10
    titles = wrap(clean(finding.title), room, 2)
    style = "red" if finding.seconds_lost >= 1 else "yellow"
    pad = " " * max(1, room - width_of(titles[0]) + 1)
    paper.add(
        "  " + paper.paint(finding.rule, style) + " " + paper.paint(titles[0], "bold") + pad + right(lost, 9)
    )
    for line in titles[1:]:
        paper.add(" " * 8 + paper.paint(line, "bold"))
    where = clean(place(finding.file, finding.line))
    source = finding.details.get("source") or quote(finding.file, finding.line)
    if where:
        where = cut(where, paper.width // 2, keep_end=True)
        code = cut(clean(str(source)), paper.width - 11 - width_of(where)) if source else ""
        paper.add(" " * 8 + paper.paint(where, "cyan") + ("  " + code if code else ""))
    hint = " (`headstart lint --fix` does it)" if finding.fix_available else ""
    room = paper.width - 10
    advice = wrap(clean(finding.advice + hint), room, 5 - len(titles) - bool(where))
    for number, line in enumerate(advice):
        paper.add(" " * 8 + ("→ " if number == 0 else "  ") + line)
