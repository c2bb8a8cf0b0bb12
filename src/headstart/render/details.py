"""The lower part of the text report: functions, imports, initializers, epochs, and how it was measured."""

from __future__ import annotations

from ..analyse.report import Function, Report
from . import units
from .layout import Paper, clean, cut, right, wrap
from .source import place
from .words import RETRACE_REASONS

MOST_ROWS = 5


def details(paper: Paper, report: Report) -> None:
    """Everything below the findings."""
    _functions(paper, report.functions)
    _imports(paper, report)
    _initializers(paper, report)
    _epochs(paper, report)
    _footer(paper, report)


def _functions(paper: Paper, functions: list[Function]) -> None:
    rows = [f for f in functions if f.trace_seconds + f.optimize_seconds + f.compile_seconds >= 0.01]
    if not rows:
        return
    rows.sort(key=lambda f: -(f.trace_seconds + f.optimize_seconds + f.compile_seconds))
    compiled = any(f.compile_seconds > 0 for f in rows[:MOST_ROWS])
    heads = right("traces", 7) + right("tracing", 9) + right("optimise", 9)
    paper.title("Functions", heads + (right("XLA", 9) if compiled else "") + right("nodes", 9))
    for function in rows[:MOST_ROWS]:
        figures = right(units.count(function.traces), 7) + right(units.seconds(function.trace_seconds), 9)
        figures += right(units.seconds(function.optimize_seconds), 9)
        if compiled:
            figures += right(units.seconds(function.compile_seconds), 9)
        figures += right(units.count(function.nodes), 9)
        paper.row(function.name, place(function.file, function.line), figures)
        _retraces(paper, function)
    _more(paper, len(rows))


def _retraces(paper: Paper, function: Function) -> None:
    """One line for each cause, the costliest first, two at most."""
    causes: dict[tuple[str, str | None], list[float]] = {}
    example: dict[tuple[str, str | None], str] = {}
    for retrace in function.retraces:
        key = (retrace.reason, retrace.argument)
        causes.setdefault(key, []).append(retrace.seconds)
        change = f"{retrace.before} → {retrace.after}" if retrace.before and retrace.after else ""
        text = f"{retrace.argument}: {change}" if retrace.argument and change else change
        where = place(retrace.file, retrace.line)
        why = RETRACE_REASONS.get(retrace.reason, retrace.reason)
        # The first one is the example: it is the change that the user made.
        example.setdefault(key, (f"{text}, " if text else "") + why + (f" ({where})" if where else ""))
    for key, seconds in sorted(causes.items(), key=lambda item: -sum(item[1]))[:2]:
        times = f"traced again {len(seconds)}×, {units.seconds(sum(seconds))}: "
        paper.add(paper.paint(cut(clean(f"    {times}{example[key]}"), paper.width), "dim"))


def _imports(paper: Paper, report: Report) -> None:
    rows = sorted((m for m in report.imports if m.depth == 0), key=lambda m: -m.seconds)
    rows = [m for m in rows if m.seconds >= 0.05]
    if not rows and not report.libraries:
        return
    modules = report.counts.get("modules")
    title = "Imports" + (f": {units.plural(modules, 'module')}" if modules else "")
    paper.title(title, f"{'with all below':>18}{'itself':>11}")
    for module in rows[:MOST_ROWS]:
        figures = right(units.seconds(module.seconds), 15) + right(units.seconds(module.self_seconds), 11)
        paper.row(module.module, place(module.file, module.line), figures)
    _more(paper, len(rows))
    if report.libraries:
        total = sum(library.seconds for library in report.libraries)
        worst = max(report.libraries, key=lambda library: library.seconds)
        name = worst.path.rpartition("/")[2]
        noun = units.plural(len(report.libraries), "native library", "native libraries")
        text = f"  {noun}, {units.seconds(total)}; the slowest is {name}, {units.seconds(worst.seconds)}"
        paper.add(paper.paint(cut(clean(text), paper.width), "dim"))


def _initializers(paper: Paper, report: Report) -> None:
    rows = sorted(report.initializers, key=lambda i: -i.seconds)
    rows = [row for row in rows if row.seconds >= 0.02]
    if not rows:
        return
    paper.title("Initializers", f"{'variables':>10}{'size':>10}{'seconds':>11}")
    for row in rows[:MOST_ROWS]:
        figures = right(units.count(row.variables), 10) + right(units.size(row.bytes), 10)
        paper.row(row.name, place(row.file, row.line), figures + right(units.seconds(row.seconds), 11))
    _more(paper, len(rows))


def _more(paper: Paper, rows: int) -> None:
    if rows > MOST_ROWS:
        paper.add(paper.paint(f"  and {rows - MOST_ROWS} more", "dim"))


def _epochs(paper: Paper, report: Report) -> None:
    if len(report.epochs) < 2:
        return
    first, *rest = report.epochs
    typical = sorted(epoch.seconds for epoch in rest)[len(rest) // 2]
    paper.title("Epochs")
    others = "the second" if len(rest) == 1 else f"the other {len(rest)} typically"
    text = f"  the first took {units.seconds(first.seconds)}, {others} {units.seconds(typical)}"
    paper.add(cut(text, paper.width))


def _footer(paper: Paper, report: Report) -> None:
    paper.add()
    if report.memory.rss_peak is not None:
        text = f"Memory: {units.size(report.memory.rss_peak)} at most"
        grows = report.memory.rss_per_step
        if grows is not None and grows >= 1e5:
            text += f", growing by {units.size(grows)} a step"
        paper.add(paper.paint(cut(text, paper.width), "dim"))
    overhead = report.overhead
    text = (
        f"headstart's own cost: {units.seconds(overhead.seconds)}, {units.share(overhead.share)} of the run"
    )
    paper.add(paper.paint(cut(text, paper.width), "dim"))
    if report.children:
        text = f"{units.plural(len(report.children), 'child process', 'child processes')} recorded as well"
        paper.add(paper.paint(cut(text, paper.width), "dim"))
    for note in report.notes:
        for number, line in enumerate(wrap(clean(note), paper.width - 6, 3)):
            paper.add(paper.paint("Note: " if number == 0 else "      ", "yellow") + line)
