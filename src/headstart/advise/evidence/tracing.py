"""Traces with what each made the program wait for, grouped by the code that was traced."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median

from ...analyse.first_runs import GRAPH_OPTIMIZATION, XLA_COMPILE
from ...analyse.model import Analysis
from ...analyse.report import Retrace
from ...analyse.retraces import explain_retraces
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Interval
from .spans import Inside, within

WORTH_SECONDS = 0.5
REPEATS = 3
"""Traces for one reason from which they are a pattern."""


@dataclass(frozen=True)
class Traced:
    """One trace from eager code, with everything that it caused."""

    trace: Span
    call: Span | None
    """The call that had to wait for it."""
    lost_ns: int
    """What the call took beyond an ordinary one."""
    why: Retrace | None
    """None for the first trace of its code."""

    @property
    def interval(self) -> Interval:
        around = self.call or self.trace
        return around.start_ns, around.end_ns


@dataclass
class Group:
    """The traces of one Python code, in order."""

    code: str
    traces: list[Traced] = field(default_factory=list)
    calls: int = 0
    ordinary_ns: int = 0

    @property
    def name(self) -> str:
        return self.traces[0].trace.name

    @property
    def of_user(self) -> bool:
        return "file" in self.traces[0].trace.attrs

    @property
    def objects(self) -> int:
        return len({traced.trace.attrs.get("fn") for traced in self.traces})

    @property
    def calls_each(self) -> float:
        """How often a trace was used, on average."""
        return self.calls / max(1, len(self.traces))

    @property
    def compiled_by_xla(self) -> bool:
        return any(traced.trace.attrs.get("jit") for traced in self.traces)

    def again(self, *reasons: str) -> list[Traced]:
        return [traced for traced in self.traces if traced.why is not None and traced.why.reason in reasons]


@lru_cache(maxsize=4)
def groups(run: Analysis) -> tuple[Group, ...]:
    """Every code that was traced from eager code on the main thread; pipelines' functions are not calls."""
    outermost = [
        t for t in run.spans(s.TRACE) if not t.attrs.get("depth") and not t.name.startswith("Dataset_")
    ]
    calls = Inside(run.spans(s.CALL))
    runs = _first_runs(run)
    by_code: dict[str, list[Span]] = defaultdict(list)
    for trace in outermost:
        by_code[str(trace.attrs.get("code", trace.name))].append(trace)
    ordinary = _ordinary_calls(run, outermost)
    counts: dict[str, int] = defaultdict(int)
    for call in run.spans(s.CALL):
        counts[str(call.attrs.get("code"))] += 1
    # One call may wait for several traces: each is given its part of the call.
    sharing: dict[int, int] = defaultdict(int)
    for trace in outermost:
        sharing[id(calls.holds(trace))] += trace.end_ns - trace.start_ns
    found = []
    for code, traces in by_code.items():
        group = Group(code, calls=counts[code], ordinary_ns=ordinary.get(code, 0))
        reasons = {id(trace): why for trace, why in zip(traces[1:], explain_retraces(traces), strict=False)}
        for trace in traces:
            payer = calls.holds(trace)
            if payer is not None:
                own = trace.end_ns - trace.start_ns
                extra = payer.end_ns - payer.start_ns - ordinary.get(str(payer.attrs.get("code")), 0)
                lost = max(own, extra * own // max(1, sharing[id(payer)]))
            else:
                lost = trace.end_ns - trace.start_ns + runs.get(str(trace.attrs.get("concrete")), 0)
            group.traces.append(Traced(trace, payer, lost, reasons.get(id(trace))))
        found.append(group)
    return tuple(sorted(found, key=lambda g: -sum(t.lost_ns for t in g.traces)))


def _first_runs(run: Analysis) -> dict[str, int]:
    """What optimising and compiling each concrete function took."""
    found: dict[str, int] = defaultdict(int)
    for span in run.spans(GRAPH_OPTIMIZATION, XLA_COMPILE):
        found[span.name] += span.end_ns - span.start_ns
    return found


def _ordinary_calls(run: Analysis, traces: list[Span]) -> dict[str, int]:
    """What a call of each code takes when nothing is traced or compiled in it."""
    busy = Inside([*traces, *run.spans(GRAPH_OPTIMIZATION, XLA_COMPILE)])
    starts = [span.start_ns for span in busy.spans]
    plain: dict[str, list[int]] = defaultdict(list)
    for call in run.spans(s.CALL):
        index = bisect_left(starts, call.start_ns)
        if index >= len(starts) or starts[index] >= call.end_ns:
            plain[str(call.attrs.get("code"))].append(call.end_ns - call.start_ns)
    return {code: int(median(values)) for code, values in plain.items()}


def traces_in(run: Analysis, traced: Traced) -> list[Span]:
    """The trace itself and those of the functions that it called: Keras' step is a function inside another."""
    return within(run.spans(s.TRACE), *traced.interval)


def over_known_variables(group: Group) -> bool:
    """Most functions after the first were traced over the variables of an earlier one: not another model's graph."""
    first_over: dict[object, object] = {}
    again = set()
    for traced in group.traces:
        over, fn = traced.trace.attrs.get("over"), traced.trace.attrs.get("fn")
        # A function's own second trace, behind the one that made its variables, says nothing of other functions.
        if over is not None and first_over.setdefault(over, fn) != fn:
            again.add(fn)
    return len(again) > (group.objects - 1) / 2


def seconds(traces: list[Traced]) -> float:
    return sum(traced.lost_ns for traced in traces) / 1e9


def intervals(traces: list[Traced]) -> tuple[Interval, ...]:
    return tuple(traced.interval for traced in traces)
