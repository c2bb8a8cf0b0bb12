"""The ledger: every nanosecond of the run has exactly one owner, and the parts add up to the whole.

That is so by construction (the run is cut into moments, each given to one phase) and is checked again on
every run, in production too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from ..record.nouns import Run, Span
from .first_runs import split_first_runs
from .nesting import in_nesting_order, main_spans, moments
from .phases import STEP_BODY, PhaseFinder
from .report import PHASES
from .steps import StepSeries, find_steps


class LedgerError(AssertionError):
    """The ledger does not add up: a defect of headstart, never of the program."""


class Segment(NamedTuple):
    """A stretch of time and the phase that owns it."""

    start_ns: int
    end_ns: int
    phase: str
    span: Span | None
    """The innermost open span."""


class Timeline(NamedTuple):
    start_ns: int
    end_ns: int
    segments: list[Segment]
    spans: list[Span]
    """The main thread's spans in nesting order, with the synthetic ones of first runs."""
    steps: StepSeries

    def phase_ns(self, until_ns: int | None = None) -> dict[str, int]:
        """Nanoseconds of each phase, of the whole run or up to a moment."""
        totals: dict[str, int] = defaultdict(int)
        for segment in self.segments:
            end = segment.end_ns if until_ns is None else min(segment.end_ns, until_ns)
            if end > segment.start_ns:
                totals[segment.phase] += end - segment.start_ns
        return dict(totals)

    def self_check(self) -> None:
        """Segments follow one another without gap or overlap, from the start to the end."""
        at = self.start_ns
        for segment in self.segments:
            if segment.start_ns != at or segment.end_ns <= segment.start_ns:
                raise LedgerError(f"the ledger breaks at {(segment.start_ns - self.start_ns) / 1e9:.6f} s")
            if segment.phase not in PHASES:
                raise LedgerError(f"unknown phase {segment.phase!r}")
            at = segment.end_ns
        if at != self.end_ns:
            raise LedgerError("the ledger does not reach the end of the run")


def build_timeline(run: Run) -> Timeline:
    spans = main_spans(run)
    steps = find_steps(run, spans)
    added = [*split_first_runs(spans), *_step_bodies(run, steps)]
    if added:
        spans = in_nesting_order([*spans, *added])
    closed_ns = run.closed["at_ns"] if run.closed else None
    finder = PhaseFinder(steps, run.samples, run.header.boot_ns, closed_ns)
    segments: list[Segment] = []
    for moment in moments(spans, run.header.start_ns, run.end_ns):
        innermost = moment.open[-1] if moment.open else None
        phase = finder.of_spans(moment.open, moment.start_ns) if moment.open else None
        if phase is not None:
            segments.append(Segment(moment.start_ns, moment.end_ns, phase, innermost))
        else:
            segments.extend(
                Segment(a, b, p, innermost) for a, b, p in finder.between(moment.start_ns, moment.end_ns)
            )
    timeline = Timeline(run.header.start_ns, run.end_ns, segments, spans, steps)
    timeline.self_check()
    return timeline


def _step_bodies(run: Run, steps: StepSeries) -> list[Span]:
    """Steps that are no span of their own (eager loops, bare marks) become one, so that moments end at them."""
    if steps.kind not in ("eager", "marked"):
        return []
    tid = run.header.main_tid
    return [Span(start, end, tid, STEP_BODY, "step", {}) for start, end in steps.intervals_ns]
