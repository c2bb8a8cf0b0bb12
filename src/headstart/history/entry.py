"""One run in the history."""

from __future__ import annotations

import os
import platform
import time

import msgspec

from ..analyse.report import Report
from .commit import repository


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    at: float
    """Seconds since 1970, when the run ended."""
    program: str
    argv: str
    commit: str | None
    host: str
    time_to_first_step: float | None
    first_step: float | None
    steady_step: float | None
    wall: float
    traces: int
    python: str
    tensorflow: str | None
    keras: str | None
    warm: bool
    phases: str
    """JSON: seconds by phase."""


COLUMNS = Entry.__struct_fields__


def entry_of(report: Report, *, folder: str | None = None, at: float | None = None) -> Entry:
    """The row for a report of a program that ran in `folder` (the current one unless given)."""
    target = report.target
    program, commit = identify(target.argv, folder if folder is not None else os.getcwd())
    return Entry(
        at=time.time() if at is None else at,
        program=program,
        argv=" ".join(target.argv).encode("utf-8", "backslashreplace").decode(),
        commit=commit,
        host=platform.node(),
        time_to_first_step=report.time_to_first_step,
        first_step=report.steps.first_seconds,
        steady_step=report.steps.steady_median_seconds,
        wall=report.wall_seconds,
        traces=sum(function.traces for function in report.functions),
        python=target.python,
        tensorflow=target.tensorflow,
        keras=target.keras,
        warm=target.warm,
        phases=msgspec.json.encode({p.id: round(p.seconds, 6) for p in report.phases}).decode(),
    )


def identify(argv: list[str], folder: str) -> tuple[str, str | None]:
    """A name for the program that is the same on every checkout, and the commit that it was run from."""
    first = argv[0] if argv else "?"
    path = os.path.realpath(os.path.join(folder, first))
    root, commit = repository(os.path.dirname(path) if os.path.isfile(path) else folder)
    name = first
    if first in ("-m", "-c"):
        name = " ".join(argv[:2])[:80] if first == "-m" else "-c"
    elif os.path.isfile(path):
        if root:
            name = f"{os.path.basename(root)}/{os.path.relpath(path, root)}"
        else:
            name = path
    return name.encode("utf-8", "backslashreplace").decode(), commit
