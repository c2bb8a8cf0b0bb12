"""Finds the program's steps without being told: which repeated piece of work is the training or serving loop.

Candidates come from every kind of loop that TensorFlow programs have; one is chosen, by what it is first (a
step that the program marked, then training, then inference) and by how much time it takes second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from ..record import signals as s
from ..record.nouns import Run, Span

Site = tuple[str, int, str]


class StepSeries(NamedTuple):
    """The chosen steps, in order."""

    kind: str | None
    """"marked" | "fit" | "train_on_batch" | "function" | "session" | "eager" | "predict" | "evaluate" | …"""
    site: Site | None
    """The user's line that runs the steps, where one is known."""
    intervals_ns: list[tuple[int, int]]
    per_interval: list[int]
    """How many steps each interval holds (Keras' `steps_per_execution`)."""
    code: str | None = None
    """Identity of the stepped tf.function's code, for series of function calls."""

    @property
    def total(self) -> int:
        return sum(self.per_interval)

    @property
    def durations(self) -> list[float]:
        """Seconds of each step."""
        return [
            (end - start) / 1e9 / held
            for (start, end), held in zip(self.intervals_ns, self.per_interval, strict=True)
            for _ in range(held)
        ]

    @property
    def first_end_ns(self) -> int | None:
        return self.intervals_ns[0][1] if self.intervals_ns else None


NO_STEPS = StepSeries(None, None, [], [])
_MARKED, _TRAINING, _INFERENCE, _OTHER = range(4)


class _Candidate(NamedTuple):
    rank: int
    series: StepSeries
    repeated_ns: int | None = None
    """The time of those that had been done before, where that is known."""

    @property
    def weight(self) -> tuple[int, int, int]:
        # A single occurrence, or different things once each, is a poor loop: chosen only when nothing repeats.
        repeats = len(self.series.intervals_ns) > 1 and self.repeated_ns != 0
        time_ns = sum(end - start for start, end in self.series.intervals_ns)
        return (-self.rank, int(repeats), self.repeated_ns or time_ns)


def find_steps(run: Run, spans: list[Span]) -> StepSeries:
    """`spans` are the main thread's, in nesting order."""
    candidates = [
        *_marked(run, spans),
        *_batches(spans),
        *_single_batch_calls(spans),
        *_function_calls(spans),
        *_session_runs(spans),
        *_lite_runs(spans),
        *_eager(spans),
        *_model_calls(spans),
    ]
    candidates = [c for c in candidates if c.series.intervals_ns]
    return max(candidates, key=lambda c: c.weight).series if candidates else NO_STEPS


def _series(kind: str, spans: list[Span], code: str | None = None) -> StepSeries:
    sites = [span.site for span in spans if span.site]
    per = [int(span.attrs.get("steps", 1)) for span in spans]
    return StepSeries(kind, sites[0] if sites else None, [(x.start_ns, x.end_ns) for x in spans], per, code)


def _by_line(spans: Iterable[Span]) -> Iterable[list[Span]]:
    """Those at each line of the user's; where none is known, by what they are called."""
    found: dict[object, list[Span]] = defaultdict(list)
    for span in spans:
        found[span.site[:2] if span.site else span.name].append(span)
    return found.values()


def _marked(run: Run, spans: list[Span]) -> list[_Candidate]:
    with_body = [span for span in spans if span.kind == s.STEP]
    if with_body:
        return [_Candidate(_MARKED, _series("marked", with_body))]
    marks = [mark for mark in run.marks if mark.kind == s.STEP]
    if not marks:
        return []
    # A bare mark ends a step. The first began when whatever came before it (imports, building) was over.
    before = [
        x.end_ns
        for x in spans
        if x.end_ns <= marks[0].at_ns and x.kind in (s.IMPORT, s.COMPILE, s.MODEL_BUILD)
    ]
    edges = [max(before, default=run.header.boot_ns), *(mark.at_ns for mark in marks)]
    site = marks[0].attrs.get("site")
    intervals = list(pairwise(edges))
    found = StepSeries("marked", tuple(site) if site else None, intervals, [1] * len(intervals))
    return [_Candidate(_MARKED, found)]


def _batches(spans: list[Span]) -> list[_Candidate]:
    by_label: dict[str, list[Span]] = defaultdict(list)
    loops = [span for span in spans if span.kind == s.FIT]
    for span in spans:
        if span.kind == s.BATCH:
            by_label[span.name].append(span)
    found = []
    for label, kind, rank in (
        ("train", "fit", _TRAINING),
        ("predict", "predict", _INFERENCE),
        ("test", "evaluate", _INFERENCE),
    ):
        batches = by_label.get(label, [])
        calls = [loop for loop in loops if loop.name == kind and not loop.attrs.get("nested")]
        if kind != "fit" and len(calls) > 2 and len(batches) < 2 * len(calls):
            # Called again and again for a batch or two: the call is what the program repeats.
            found.append(_Candidate(rank, _series(kind, calls)))
        elif batches:
            series = _series(kind, batches)
            site = next((loop.site for loop in loops if loop.name == kind and loop.site), None)
            found.append(_Candidate(rank, series._replace(site=site)))
    return found


def _single_batch_calls(spans: list[Span]) -> list[_Candidate]:
    ranks = {"train_on_batch": _TRAINING, "test_on_batch": _INFERENCE, "predict_on_batch": _INFERENCE}
    by_name: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        if span.kind == s.FIT and span.name in ranks:
            by_name[span.name].append(span)
    return [_Candidate(ranks[name], _series(name, calls)) for name, calls in by_name.items()]


def _function_calls(spans: list[Span]) -> list[_Candidate]:
    """Calls of tf.functions from eager code, by the code called: a function made anew each time is one loop."""
    trained = _codes_with_gradients(spans)
    by_code: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        if span.kind == s.CALL and not span.attrs.get("under"):
            by_code[str(span.attrs.get("code", span.name))].append(span)
    return [
        _Candidate(_TRAINING if code in trained else _INFERENCE, _series("function", calls, code))
        for code, calls in by_code.items()
    ]


def _codes_with_gradients(spans: list[Span]) -> set[str]:
    """Codes of outermost traces in which a backward pass was built."""
    codes: set[str] = set()
    outermost: Span | None = None
    for span in spans:
        if outermost is not None and span.start_ns >= outermost.end_ns:
            outermost = None
        if span.kind == s.TRACE and outermost is None:
            outermost = span
        elif span.kind == s.GRADIENT and outermost is not None:
            codes.add(str(outermost.attrs.get("code", outermost.name)))
    return codes


def _session_runs(spans: list[Span]) -> list[_Candidate]:
    """Runs of a session by line. What TensorFlow's hooks and savers run at the same line is no step; a line that
    prepares a session runs many things once each, and what is run again and again is the loop."""
    found = []
    for runs in _by_line(x for x in spans if x.kind == s.SESSION_RUN and not x.attrs.get("library")):
        again_ns = sum(run.end_ns - run.start_ns for run in runs if not run.attrs.get("first"))
        found.append(_Candidate(_TRAINING, _series("session", runs), again_ns))
    return found


def _lite_runs(spans: list[Span]) -> list[_Candidate]:
    return [
        _Candidate(_INFERENCE, _series("lite", runs))
        for runs in _by_line(x for x in spans if x.kind == s.LITE_RUN)
    ]


def _eager(spans: list[Span]) -> list[_Candidate]:
    """Loops with a tape in eager code: a step ends with its last gradient or update before the next begins."""
    updates = [span for span in spans if span.kind == s.APPLY_GRADIENTS]
    found = []
    for gradients in _by_line(x for x in spans if x.kind == s.TAPE_GRADIENT):
        intervals: list[tuple[int, int]] = []
        position = 0
        for index, span in enumerate(gradients):
            following = gradients[index + 1].start_ns if index + 1 < len(gradients) else span.end_ns + 10**18
            end = span.end_ns
            while position < len(updates) and updates[position].start_ns < following:
                if updates[position].start_ns >= span.start_ns:
                    end = max(end, updates[position].end_ns)
                position += 1
            previous = intervals[-1][1] if intervals else 0
            start = max(int(span.attrs.get("opened_ns", span.start_ns)), previous)
            intervals.append((min(start, span.start_ns), end))
        series = StepSeries("eager", gradients[0].site, intervals, [1] * len(intervals))
        found.append(_Candidate(_TRAINING, series))
    return found


def _model_calls(spans: list[Span]) -> list[_Candidate]:
    return [
        _Candidate(_OTHER, _series("model-call", calls))
        for calls in _by_line(x for x in spans if x.kind == s.MODEL_CALL)
    ]
