"""The same run as on a machine that does nothing else: without the time that the main thread stood in line.

On a busy machine everything takes longer, and no change to the program mends that. The kernel knows for how long a
thread could have run and no processor was free; that time is taken out of every stretch of the record.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import Any

import msgspec

from ..record import signals as s
from ..record.nouns import Counters, Mark, Run, Span

WORTH_IT = 0.03
"""The share of the run from which it makes a difference."""
_MOMENTS = ("first_ns", "last_ns", "opened_ns")


def queued_seconds(run: Run) -> float:
    """How long the main thread stood in line."""
    line = _Line(run)
    return line.at(run.end_ns) / 1e9


def undisturbed(run: Run) -> Run | None:
    """None where the machine was quiet enough to take the record as it is."""
    line = _Line(run)
    if line.at(run.end_ns) < WORTH_IT * run.wall_ns:
        return None

    def moved(at_ns: int) -> int:
        return at_ns - line.at(at_ns)

    def attributes(attrs: dict[str, Any]) -> dict[str, Any]:
        given = {key: moved(attrs[key]) for key in _MOMENTS if attrs.get(key)}
        if "ns" in attrs and len(given) >= 2:
            # What was added up over many short stretches shrinks as the whole time around them does.
            before = max(1, attrs["last_ns"] - attrs["first_ns"])
            given["ns"] = attrs["ns"] * (given["last_ns"] - given["first_ns"]) // before
        return {**attrs, **given} if given else attrs

    def spans(found: list[Span]) -> list[Span]:
        return [
            Span(moved(x.start_ns), moved(x.end_ns), x.tid, x.kind, x.name, attributes(x.attrs))
            for x in found
        ]

    header = msgspec.structs.replace(run.header, boot_ns=moved(run.header.boot_ns))
    return msgspec.structs.replace(
        run,
        header=header,
        spans=spans(run.spans),
        open_spans=spans(run.open_spans),
        marks=[Mark(moved(x.at_ns), x.tid, x.kind, x.name, attributes(x.attrs)) for x in run.marks],
        samples=[msgspec.structs.replace(sample, at_ns=moved(sample.at_ns)) for sample in run.samples],
        counters=[Counters(moved(x.at_ns), x.values) for x in run.counters],
        end_ns=moved(run.end_ns),
        closed={**run.closed, "at_ns": moved(run.closed["at_ns"])} if run.closed else None,
    )


class _Line:
    """How long the main thread had stood in line at any moment: read a few times a second, even in between."""

    def __init__(self, run: Run) -> None:
        self._times, self._queued = [run.header.start_ns], [0]
        before: int | None = None
        for one in run.counters:
            passed = one.at_ns - self._times[-1]
            if s.QUEUED_MAIN not in one.values or passed <= 0:
                continue
            total = one.values[s.QUEUED_MAIN]
            if before is None:
                # A thread that lived before its record began had stood in line before as well.
                before = total if total > passed else 0
            most = self._queued[-1] + passed
            self._times.append(one.at_ns)
            self._queued.append(max(self._queued[-1], min(total - before, most)))
        self._slopes = [
            (b - a) / (until - since)
            for (since, until), (a, b) in zip(pairwise(self._times), pairwise(self._queued), strict=True)
        ]

    def at(self, at_ns: int) -> int:
        index = bisect_right(self._times, at_ns) - 1
        if index < 0:
            return 0
        if index >= len(self._slopes):
            return self._queued[-1]
        return self._queued[index] + int((at_ns - self._times[index]) * self._slopes[index])
