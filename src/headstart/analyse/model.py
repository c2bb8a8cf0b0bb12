"""The analysed run: what rules look at."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter

from ..record.nouns import Mark, Run, Span
from .report import Report
from .steps import StepSeries
from .timeline import Segment, Timeline

_START = attrgetter("start_ns")


class Analysis:
    """One run with its timeline and its report (complete but for the findings)."""

    def __init__(self, run: Run, timeline: Timeline, report: Report) -> None:
        self.run = run
        self.timeline_of_run = timeline
        self.report = report

    @property
    def steps(self) -> StepSeries:
        return self.timeline_of_run.steps

    @property
    def timeline(self) -> list[Segment]:
        return self.timeline_of_run.segments

    @property
    def wall_seconds(self) -> float:
        return self.run.wall_ns / 1e9

    @property
    def first_step_end_ns(self) -> int | None:
        return self.steps.first_end_ns

    @cached_property
    def _by_kind(self) -> dict[str, list[Span]]:
        found: dict[str, list[Span]] = {}
        for span in self.timeline_of_run.spans:
            found.setdefault(span.kind, []).append(span)
        return found

    def spans(self, *kinds: str) -> list[Span]:
        """The main thread's spans of these kinds, in order of start."""
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], [])
        found = [span for kind in kinds for span in self._by_kind.get(kind, [])]
        return sorted(found, key=_START)

    def marks(self, kind: str) -> list[Mark]:
        return [mark for mark in self.run.marks if mark.kind == kind]

    def phase_seconds(self, phase: str) -> float:
        return next((row.seconds for row in self.report.phases if row.id == phase), 0.0)

    def seconds_since_start(self, at_ns: int) -> float:
        return (at_ns - self.run.header.start_ns) / 1e9

    def in_loop(self, span: Span) -> bool:
        """True when the span falls between the first and the last step."""
        intervals = self.steps.intervals_ns
        return bool(intervals) and intervals[0][0] <= span.start_ns <= intervals[-1][1]
