"""Several processes, one report: ranks and children beside the process that leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ..record.nouns import Run
from .build import analyse
from .report import Report


def with_children(report: Report, ranks: Sequence[Run], children: Sequence[Run]) -> Report:
    """The leading process's report, with a line for each other process."""
    if not ranks and not children:
        return report
    rows = [_row(run, "rank") for run in ranks] + [_row(run, run.header.origin) for run in children]
    return msgspec.structs.replace(report, children=rows)


def _row(run: Run, relation: str) -> dict[str, Any]:
    one = analyse(run).report
    heaviest = sorted(one.phases, key=lambda phase: -phase.seconds)[:5]
    return {
        "pid": run.header.pid,
        "ppid": run.header.ppid,
        "rank": run.header.rank,
        "relation": relation,
        "argv": run.header.argv,
        "wall_seconds": one.wall_seconds,
        "time_to_first_step": one.time_to_first_step,
        "phases": [{"id": phase.id, "seconds": phase.seconds} for phase in heaviest if phase.seconds > 0],
        "steps": one.steps.count,
        "cut": run.cut,
    }
