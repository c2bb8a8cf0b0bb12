"""Python that a data pipeline called, with what it took."""

from __future__ import annotations

from dataclasses import dataclass

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Mark
from .pipelines import Pipeline
from .places import Place

_BOOKKEEPING = ("get_next_id", "finalize_py_func", "get_iterator_id")


@dataclass(frozen=True)
class PythonCalls:
    name: str
    site: Place | None
    calls: int
    seconds: float


def calls_in(run: Analysis, pipeline: Pipeline) -> list[PythonCalls]:
    """Functions registered at a line of the pipeline (or of the loop that reads it) and called while it "
    "was read."""
    lines = {node.where for node in pipeline.chain if node.where} | {
        p.site for p in pipeline.passes if p.site
    }
    last: dict[str, Mark] = {}
    for mark in run.marks(s.PYTHON_CALLS):
        last[str(mark.attrs.get("token"))] = mark
    found = []
    for mark in last.values():
        site = mark.attrs.get("site")
        where = (site[0], site[1]) if site else None
        if mark.name.rsplit(".", 1)[-1] in _BOOKKEEPING or where not in lines:
            continue
        found.append(PythonCalls(mark.name, where, int(mark.attrs["calls"]), int(mark.attrs["ns"]) / 1e9))
    return found
