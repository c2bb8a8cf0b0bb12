"""The one place that wires the stages: record → analyse → advise → render."""

from __future__ import annotations

from collections.abc import Sequence

from .analyse.report import Report
from .errors import HeadstartError
from .record.nouns import Run
from .record.reader import RecordError, read_run


def preload() -> None:
    """Import what a report needs, while nobody is waiting for it."""


def read(paths: Sequence[str]) -> list[Run]:
    """Read stored runs; a file that is none is an error that says so."""
    try:
        return [read_run(path) for path in paths]
    except RecordError as error:
        raise HeadstartError(str(error)) from None


def report_of(paths: Sequence[str]) -> Report:
    """The report of one run, or of several processes of one run."""
    read(paths)
    raise HeadstartError("no report yet")


def render(kind: str, report: Report) -> str:
    """The report as text of one kind."""
    return ""
