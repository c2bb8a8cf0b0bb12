"""The lower sections of the page: pictures' frames, functions, imports, and how it was measured."""

from __future__ import annotations

from ..analyse.report import Function, Report
from . import units
from .markup import card, esc, section, table
from .source import place
from .words import RETRACE_REASONS

MOST_ROWS = 40


def _frame(label: str, *, first: bool, minimap: bool) -> str:
    """A picture's frame: tools above, facts about the chosen bar below."""
    to_first = '<button type="button" data-do="start">To first step</button>' if first else ""
    small = '<canvas class="map" aria-hidden="true"></canvas>' if minimap else ""
    return card(
        '<div class="tools">'
        f'<input type="search" placeholder="Search by name" aria-label="Search in {esc(label)}">'
        "<output></output>"
        '<button type="button" data-do="next">Next</button>'
        '<button type="button" data-do="in" aria-label="Zoom in">+</button>'
        '<button type="button" data-do="out" aria-label="Zoom out">−</button>'
        f'{to_first}<button type="button" data-do="reset">All</button></div>'
        f'<div class="bars">{small}<div class="pane" tabindex="0" role="application" aria-label="{esc(label)}. '
        "Space chooses the longest bar, arrow keys move between bars, Enter zooms to one, plus and minus zoom, "
        'Home shows all."><canvas></canvas></div><div class="tip" hidden></div></div>'
        '<div class="facts" aria-live="polite"><span class="soft">Choose a bar to read about it.</span></div>'
    )


def pictures(report: Report, has_runs: bool) -> str:
    first = report.time_to_first_step is not None
    hint = (
        '<p class="soft small">Drag to move, Ctrl + wheel or pinch to zoom, double-click a bar to fill the view '
        "with it; with the keyboard: Space, arrows, Enter, + and −.</p>"
    )
    found = ""
    if has_runs:
        frame = _frame("Timeline", first=first, minimap=True)
        found += section("timeline", "Timeline", hint + frame, "needs-script")
        frame = _frame("Imports", first=False, minimap=False)
        found += section("flame-imports", "Imports, by what imported what", frame, "needs-script")
    if report.functions:
        frame = _frame("Trace work", first=False, minimap=False)
        found += section("flame-traces", "Trace work, by function and line", frame, "needs-script")
    return found


def charts(report: Report) -> str:
    steps = report.steps
    parts = []
    if len(steps.durations) > 1:
        text = "Shaded: warm-up. Band and line: the steady median and its 95 % interval. Dashed: epochs."
        if steps.trend is not None:
            grows = "they grow" if steps.trend.growing else "no growth"
            text += f" Trend of the steady steps: {grows} (p = {steps.trend.p_value:.2g})."
        label = f"Times of {units.count(steps.count)} steps"
        parts.append(
            card(
                f"<h3>Step times</h3>"
                f'<div id="steps-chart" class="chart needs-script" role="img" aria-label="{esc(label)}"></div>'
                f'<p class="soft small">{esc(text)}</p>'
            )
        )
    if report.memory.series:
        peak = units.size(report.memory.rss_peak or 0)
        text = f"At most {peak}."
        if report.memory.rss_per_step is not None:
            text += f" Change per step: {units.size(report.memory.rss_per_step)}."
        parts.append(
            card(
                f"<h3>Memory</h3>"
                '<div id="memory-chart" class="chart needs-script" role="img" '
                f'aria-label="Resident memory: {esc(text)}"></div>'
                f'<p class="soft small">{esc(text)} Dashed: the end of the first step.</p>'
            )
        )
    if not parts:
        return ""
    epochs = ""
    if report.epochs:
        cells = ", ".join(
            f"{epoch.index + 1}: {units.seconds(epoch.seconds)}" for epoch in report.epochs[:30]
        )
        epochs = f'<p class="soft small">Epochs: {esc(cells)}{" …" if len(report.epochs) > 30 else ""}</p>'
    return section("steps", "Steps and memory", f'<div class="two">{"".join(parts)}</div>{epochs}')


def functions(report: Report) -> str:
    if not report.functions:
        return ""
    rows = []
    for function in report.functions[:MOST_ROWS]:
        name = (
            f"<code>{esc(function.name)}</code><br><small>{esc(place(function.file, function.line))}</small>"
        )
        row = [name + _retraces(function), esc(units.count(function.traces))]
        row += [esc(units.seconds(v)) for v in (function.trace_seconds, function.optimize_seconds)]
        row += [esc(units.seconds(function.compile_seconds)) if function.compile_seconds else "–"]
        rows.append([*row, esc(units.count(function.nodes))])
    heads = [("Function", ""), ("Traces", "num"), ("Tracing", "num"), ("Optimising", "num")]
    heads += [("XLA", "num wide"), ("Nodes", "num wide")]
    return section("functions", "Functions", card(table("", heads, rows)))


def _retraces(function: Function) -> str:
    if not function.retraces:
        return ""
    rows = []
    for retrace in function.retraces[:60]:
        change = "–"
        if retrace.before is not None or retrace.after is not None:
            change = f"<code>{esc(retrace.before)}</code> → <code>{esc(retrace.after)}</code>"
        why = RETRACE_REASONS.get(retrace.reason, retrace.reason)
        where = place(retrace.file, retrace.line) or "–"
        argument = f"<code>{esc(retrace.argument)}</code>" if retrace.argument else "–"
        rows.append(
            [argument, change, esc(why), f"<small>{esc(where)}</small>", esc(units.seconds(retrace.seconds))]
        )
    heads = [("Argument", ""), ("Before → now", ""), ("Why", ""), ("Called at", ""), ("Cost", "num")]
    count = units.plural(len(function.retraces), "time")
    return f"<details><summary>traced again {esc(count)}</summary>{table('', heads, rows)}</details>"


def imports(report: Report) -> str:
    found = []
    modules = sorted(report.imports, key=lambda m: -m.self_seconds)[:MOST_ROWS]
    if modules:
        rows = [
            [
                f"<code>{esc(m.module)}</code> <small>{esc(place(m.file, m.line))}</small>",
                esc(units.seconds(m.seconds)),
                esc(units.seconds(m.self_seconds)),
            ]
            for m in modules
        ]
        heads = [("Module", ""), ("With all below", "num wide"), ("Itself", "num")]
        count = report.counts.get("modules")
        caption = "The slowest by themselves" + (f", of {units.plural(count, 'module')}." if count else ".")
        found.append(card(table(caption, heads, rows[:15]) + _more(heads, rows[15:])))
    libraries = sorted(report.libraries, key=lambda x: -x.seconds)[:MOST_ROWS]
    if libraries:
        rows = [
            [
                f"<code>{esc(x.path.rpartition('/')[2])}</code>"
                + (f" <small>{esc(units.size(x.bytes))}</small>" if x.bytes else ""),
                esc(units.seconds(x.seconds)),
            ]
            for x in libraries
        ]
        heads = [("Native library", ""), ("Loading", "num")]
        total = units.seconds(sum(x.seconds for x in report.libraries))
        caption = f"{units.plural(len(report.libraries), 'library', 'libraries')}, {total}."
        found.append(card(table(caption, heads, rows[:8]) + _more(heads, rows[8:])))
    if report.initializers:
        rows = [
            [
                f"<code>{esc(i.name)}</code> <small>{esc(place(i.file, i.line))}</small>",
                esc(units.count(i.variables)),
                esc(units.size(i.bytes)),
                esc(units.seconds(i.seconds)),
            ]
            for i in report.initializers[:MOST_ROWS]
        ]
        heads = [("Initializer", ""), ("Variables", "num wide"), ("Size", "num"), ("Time", "num")]
        found.append(card(table("", heads, rows[:8]) + _more(heads, rows[8:])))
    if not found:
        return ""
    return section("imports", "Imports, libraries, initializers", f'<div class="two">{"".join(found)}</div>')


def _more(heads: list[tuple[str, str]], rows: list[list[str]]) -> str:
    return f"<details><summary>{len(rows)} more</summary>{table('', heads, rows)}</details>" if rows else ""


def measured(report: Report) -> str:
    target = report.target
    versions = f"Python {target.python}"
    versions += f", TensorFlow {target.tensorflow}" if target.tensorflow else ""
    versions += f", Keras {target.keras}" if target.keras else ""
    overhead = report.overhead
    items = [
        f"headstart {report.headstart} ran the program unchanged, with probes and a low-rate sampler inside it.",
        f"Its own cost: {units.seconds(overhead.seconds)}, {units.share(overhead.share)} of the run.",
        versions + ("; from a warm interpreter." if target.warm else "."),
    ]
    items += ["; ".join(f"{name}: {value}" for name, value in report.environment.items())]
    items = [item for item in items if item]
    if report.counts:
        counted = (f"{units.count(n)} {name.replace('_', ' ')}" for name, n in report.counts.items())
        items.append("Counted: " + ", ".join(counted) + ".")
    if report.children:
        items.append(
            f"{units.plural(len(report.children), 'child process', 'child processes')} recorded as well."
        )
    body = "".join(f"<li>{esc(item)}</li>" for item in items)
    return section("measured", "How it was measured", card(f'<ul class="plain">{body}</ul>'))
