"""Pieces of made-up runs that several detectors' tests need. Times are milliseconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headstart.advise.findings import find
from headstart.analyse.build import analyse
from headstart.analyse.report import Finding
from headstart.record import signals as s
from tests.made_runs import MadeRun

FILE = "train.py"
CODE = f"{FILE}:5:step"


def site(line: int, function: str = "main") -> list[Any]:
    return [FILE, line, function]


def begun() -> MadeRun:
    """A program that has imported TensorFlow and is about to work."""
    return MadeRun().span(50, 2000, s.IMPORT, "tensorflow").span(2000, 2010, s.DEVICE_INIT, "context")


def traced_call(
    run: MadeRun, at: float, ms: float, argument: tuple[str, str], fn: int = 1, line: int = 20, over: int = 0
) -> None:
    """A call that had to trace first: nine tenths of it are the trace."""
    common: dict[str, Any] = {"fn": fn, "code": CODE, "site": site(line)}
    run.span(at, at + 0.9 * ms, s.TRACE, "step", file=FILE, line=5, n=0, nodes=40, depth=0,
             args=[list(argument)], concrete=f"__inference_step_{at:.0f}", over=over, **common)  # fmt: skip
    run.span(at, at + ms, s.CALL, "step", **common)


def called(run: MadeRun, at: float, ms: float = 2, line: int = 20, fn: int = 1) -> None:
    run.span(at, at + ms, s.CALL, "step", fn=fn, code=CODE, site=site(line))


def found(run: MadeRun, folder: Path, end: float) -> list[Finding]:
    """The findings; a detector that fails is an error."""
    whole = analyse(run.closed(end).exit(end + 10).read(folder))
    return find(whole, strict=True)


def told(run: MadeRun, folder: Path, end: float) -> list[tuple[str, int | None, str]]:
    return [(f.rule, f.line, f.confidence) for f in found(run, folder, end)]
