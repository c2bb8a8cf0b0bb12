"""The one place that wires the stages: record → analyse → advise → render."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .analyse.build import analyse
from .analyse.merge import with_children
from .analyse.report import Report
from .analyse.timeline import LedgerError
from .errors import HeadstartError
from .record.nouns import Run
from .record.reader import RecordError, read_run


class Reading(NamedTuple):
    """A report and the runs it was made from."""

    report: Report
    runs: list[Run]


def preload(kinds: Iterable[str] = ()) -> None:
    """Import what a report of these kinds needs, while nobody is waiting for it."""
    from importlib import import_module

    from . import advise

    advise.preload()
    for kind in ("terminal", *kinds):
        import_module(f".render.{kind}", __package__)


def read(paths: Sequence[str]) -> list[Run]:
    """Read stored runs; a file that is none is an error that says so."""
    try:
        return [read_run(path) for path in paths]
    except RecordError as error:
        raise HeadstartError(str(error)) from None


def report_of(paths: Sequence[str]) -> Reading:
    """The report of one run, or of several processes (ranks) of one run, with their children."""
    return report_of_runs(read(paths))


def report_of_runs(runs: list[Run]) -> Reading:
    children = [child for run in runs for child in _children(run)]
    # The report is the first process's: of several ranks, the one with the lowest number leads.
    runs.sort(key=lambda run: (run.header.parent_record is not None, int(run.header.rank or 0)))
    from .advise import find_causes

    try:
        analysis = analyse(runs[0])
    except LedgerError as error:
        raise HeadstartError(
            f"{error}: a defect of headstart; please report it with {runs[0].path}"
        ) from None
    report = with_children(find_causes(analysis), runs[1:], children)
    return Reading(report, [*runs, *children])


def _children(run: Run) -> list[Run]:
    """Records of processes that this one forked or spawned; unreadable ones are left out."""
    folder, name = os.path.split(os.path.abspath(run.path))
    found = []
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        return []
    for entry in entries:
        if entry.startswith(name + ".") and entry[len(name) + 1 :].isdigit():
            try:
                child = read_run(os.path.join(folder, entry))
            except RecordError:
                continue
            if child.header.run == run.header.run:
                found.append(child)
    return found


def render(
    kind: str, reading: Reading, *, width: int = 80, color: bool = False, unicode: bool = True
) -> str | bytes:
    """The report as text of one kind."""
    from importlib import import_module

    renderer = import_module(f".render.{kind}", __package__)
    if kind == "terminal":
        return str(renderer.render(reading.report, width=width, color=color, unicode=unicode))
    if kind in ("trace", "html", "speedscope"):
        drawn: str | bytes = renderer.render(reading.report, reading.runs)
        return drawn
    made: str | bytes = renderer.render(reading.report)
    return made
