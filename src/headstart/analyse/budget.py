"""What a start may cost, in things that can be counted: a noisy machine cannot break these by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from ..record import signals as s
from ..record.nouns import Run, Span
from .report import Finding, Function, Report
from .timeline import build_timeline


class Budget(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """`[tool.headstart.budget]`, or the arguments of the pytest marker. What is not set is not checked."""

    traces: dict[str, int] = {}
    """The most traces of a function, by name; "*" for every function that is not named."""
    no_retrace_after: int | None = None
    """No function may be traced after this many steps."""
    imports: int | None = None
    """The most modules that may be imported."""
    forbid_imports: list[str] = []
    """Packages that may not be imported at all."""
    nodes: int | None = None
    """The most graph nodes that may be traced, over all functions."""
    first_step: float | None = None
    """The first step may take as long as this many steady ones."""
    forbid: list[str] = []
    """Rules that may have no finding: "HS301", or "HS3" for all that begin so."""
    time_to_first_step: float | None = None
    """Seconds. The only limit that depends on the machine: leave it generous."""


class BudgetError(ValueError):
    """The budget itself makes no sense."""


class Breach(msgspec.Struct, frozen=True, kw_only=True):
    """One limit that does not hold, told like a finding."""

    limit: str
    title: str
    advice: str
    file: str | None = None
    line: int | None = None


def read_budget(settings: Mapping[str, Any]) -> Budget:
    """A budget from a table of settings."""
    kebab = {key.replace("_", "-"): value for key, value in settings.items()}
    known = Budget.__struct_encode_fields__
    for key in kebab:
        if key not in known:
            near = get_close_matches(key, known, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
            raise BudgetError(f"there is no limit {key!r}; {meant}")
    try:
        return msgspec.convert(kebab, Budget)
    except msgspec.ValidationError as error:
        raise BudgetError(_in_words(str(error))) from None


def _in_words(message: str) -> str:
    """msgspec's "Expected `int | null`, got `str` - at `$.imports`", as a user of TOML would say it."""
    found = re.fullmatch(r"Expected `([^`]+)`, got `([^`]+)` - at `\$\.([^`]+)`", message)
    if not found:
        return message
    wanted, got, key = (re.sub(r" \| null$", "", word) for word in found.groups())
    return f"{key} must be {_KINDS.get(wanted, wanted)}, not {_KINDS.get(got, got)}"


_KINDS = {"int": "a whole number", "float": "a number", "str": "text", "array": "a list", "object": "a table"}


def check(budget: Budget, report: Report, runs: Sequence[Run] = ()) -> list[Breach]:
    """Every limit that the run broke, those with a place in the code first."""
    found = [
        *_traces(budget, report.functions),
        *_late_traces(budget, runs),
        *_forbidden(budget, report.findings),
        *_counts(budget, report),
        *_times(budget, report),
    ]
    return sorted(found, key=lambda breach: breach.file is None)


def _traces(budget: Budget, functions: Sequence[Function]) -> list[Breach]:
    found = []
    for name in budget.traces:
        if name != "*" and not any(_named(f, name) for f in functions):
            known = ", ".join(sorted({f.name for f in functions})) or "none"
            advice = f"Correct the name in the budget. Functions that were traced: {known}."
            found.append(Breach(limit="traces", title=f"no function {name!r} was traced", advice=advice))
    for function in functions:
        most = next(
            (n for name, n in budget.traces.items() if _named(function, name)), budget.traces.get("*")
        )
        if most is not None and function.traces > most:
            found.append(_traced_too_often(function, most))
    return found


def _named(function: Function, name: str) -> bool:
    return function.name == name or function.name.rpartition(".")[2] == name


def _traced_too_often(function: Function, most: int) -> Breach:
    file, line = function.file, function.line
    advice = "Look for what changes from call to call: `headstart profile` names it."
    if function.retraces:
        last = function.retraces[-1]
        file, line = (last.file, last.line) if last.file else (file, line)
        what = f"{last.argument} went from {last.before} to {last.after}" if last.argument else last.reason
        advice = f"The last time because {what}. {_remedy(last.reason)}"
    title = f"{function.name} was traced {function.traces} times, the budget allows {most}"
    return Breach(limit="traces", title=title, advice=advice, file=file, line=line)


def _remedy(reason: str) -> str:
    return {
        "scalar": "Pass a tensor instead of a Python number.",
        "shape": "Give the function an input_signature with None for the dimension that varies, or pad.",
        "dtype": "Convert the argument to one type before the call.",
        "object": "Make the object once, or keep it out of the arguments.",
        "new-function": "Make the tf.function once, outside of the loop.",
        "variables-created": "Build the model and its optimizer before the first call.",
    }.get(reason, "`headstart profile` shows what changed.")


def _late_traces(budget: Budget, runs: Sequence[Run]) -> list[Breach]:
    if budget.no_retrace_after is None:
        return []
    found = []
    for run in runs:
        timeline = build_timeline(run)
        steps = timeline.steps.intervals_ns
        if len(steps) <= budget.no_retrace_after:
            continue
        begin, end = steps[budget.no_retrace_after][0], steps[-1][1]
        late = [
            x for x in timeline.spans if x.kind == s.TRACE and begin <= x.start_ns <= end and _counts_as(x)
        ]
        if late:
            found.append(_traced_late(late, budget.no_retrace_after))
    return found


def _counts_as(span: Span) -> bool:
    # Functions inside a trace are part of it; pipelines are made anew for each epoch.
    return not span.attrs.get("depth") and span.attrs.get("owner") != "tf.data"


def _traced_late(late: Sequence[Span], after: int) -> Breach:
    first = late[0]
    site = first.site
    times = "once" if len(late) == 1 else f"{len(late)} times"
    return Breach(
        limit="no-retrace-after",
        title=f"{first.name} was traced {times} after step {after}",
        advice="After warm-up nothing should be traced: see what changes in its arguments from step to step.",
        file=site[0] if site else None,
        line=site[1] if site else None,
    )


def _forbidden(budget: Budget, findings: Sequence[Finding]) -> list[Breach]:
    return [
        Breach(limit="forbid", title=f"{f.rule}: {f.title}", advice=f.advice, file=f.file, line=f.line)
        for f in findings
        if any(f.rule.startswith(rule.upper()) for rule in budget.forbid if rule)
    ]


def _counts(budget: Budget, report: Report) -> list[Breach]:
    found = []
    modules = report.counts.get("modules", len(report.imports))
    if budget.imports is not None and modules > budget.imports:
        worst = max((m for m in report.imports if m.depth == 0), key=lambda m: m.seconds, default=None)
        found.append(
            Breach(
                limit="imports",
                title=f"{modules} modules were imported, the budget allows {budget.imports}",
                advice="Import heavy packages where they are used, or not at all.",
                file=worst.file if worst else None,
                line=worst.line if worst else None,
            )
        )
    for package in budget.forbid_imports:
        hit = next((m for m in report.imports if m.module.partition(".")[0] == package), None)
        if hit is not None:
            found.append(
                Breach(
                    limit="forbid-imports",
                    title=f"{package} was imported, the budget forbids it",
                    advice="Import it where it is used, or drop what imports it.",
                    file=hit.file,
                    line=hit.line,
                )
            )
    nodes = report.counts.get("traced_nodes", sum(f.nodes for f in report.functions))
    if budget.nodes is not None and nodes > budget.nodes:
        title = f"{nodes} graph nodes were traced, the budget allows {budget.nodes}"
        found.append(Breach(limit="nodes", title=title, advice="Unrolled Python loops make such graphs."))
    return found


def _times(budget: Budget, report: Report) -> list[Breach]:
    found = []
    steps = report.steps
    if budget.first_step is not None and steps.first_seconds is not None and steps.steady_median_seconds:
        worth = steps.first_seconds / steps.steady_median_seconds
        if worth > budget.first_step:
            found.append(
                Breach(
                    limit="first-step",
                    title=f"the first step took as long as {worth:.0f} steady ones, "
                    f"the budget allows {budget.first_step:g}",
                    advice="`headstart profile` shows what it did; `headstart run` keeps it from run to run.",
                    file=steps.file,
                    line=steps.line,
                )
            )
    limit, took = budget.time_to_first_step, report.time_to_first_step
    if limit is not None and took is not None and took > limit:
        title = f"the first step was done after {took:.1f} s, the budget allows {limit:g} s"
        found.append(
            Breach(limit="time-to-first-step", title=title, advice="See the ledger for where it went.")
        )
    return found
