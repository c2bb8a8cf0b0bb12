"""What became of each tf.function: how often it was traced, why again, and what that and optimising it cost."""

from __future__ import annotations

from collections import defaultdict

from ..record import signals as s
from ..record.nouns import Run, Span
from .first_runs import GRAPH_OPTIMIZATION, XLA_COMPILE, split_first_runs
from .nesting import other_threads
from .report import Function
from .retraces import explain_retraces


def function_rows(run: Run, spans: list[Span]) -> list[Function]:
    """One row per Python code, most expensive first. Spans are the main thread's, in nesting order; functions that
    other threads traced count as well: a server's threads have no ledger, but TensorFlow traces for them."""
    groups: dict[str, _Group] = {}
    threads = other_threads(run)
    for trace, parents in _of_all_threads(spans, threads):
        owner = _row_owner(trace, parents)
        key = str(owner.attrs.get("code", owner.name))
        group = groups.setdefault(key, _Group(owner))
        group.add(trace, own=owner is trace)
    for span in (*spans, *(part for thread in threads for part in split_first_runs(thread))):
        if span.kind in (GRAPH_OPTIMIZATION, XLA_COMPILE):
            owner_group = groups.get(str(span.attrs.get("code", "")))
            if owner_group is not None:
                if span.kind == GRAPH_OPTIMIZATION:
                    owner_group.optimize_seconds += span.seconds
                else:
                    owner_group.compile_seconds += span.seconds
        elif span.kind == s.CALL:
            called = groups.get(str(span.attrs.get("code", "")))
            if called is not None:
                called.calls += 1
    rows = [group.row() for group in groups.values()]
    rows.sort(key=lambda row: -(row.trace_seconds + row.optimize_seconds + row.compile_seconds))
    return rows


def _of_all_threads(spans: list[Span], threads: list[list[Span]]) -> list[tuple[Span, list[Span]]]:
    """Each trace with the traces around it, in order of start."""
    found = _with_parents(spans)
    of_main = [trace for trace, _ in found]
    for thread in threads:
        for trace, parents in _with_parents(thread):
            # A distribution strategy traces each replica on a thread of its own while the main thread waits in
            # the trace around them.
            around = [t for t in of_main if t.start_ns <= trace.start_ns and trace.end_ns <= t.end_ns]
            found.append((trace, around + parents))
    return sorted(found, key=lambda pair: pair[0].start_ns)


def _with_parents(spans: list[Span]) -> list[tuple[Span, list[Span]]]:
    """Each trace with the traces around it, outermost first."""
    found: list[tuple[Span, list[Span]]] = []
    stack: list[Span] = []
    for span in spans:
        while stack and stack[-1].end_ns <= span.start_ns:
            stack.pop()
        if span.kind == s.TRACE:
            found.append((span, list(stack)))
            stack.append(span)
    return found


def _row_owner(trace: Span, parents: list[Span]) -> Span:
    """A library's function traced inside another belongs to the row of the trace around it."""
    if "file" in trace.attrs or not parents:
        return trace
    for parent in reversed(parents):
        if "file" in parent.attrs:
            return parent
    return parents[0]


class _Group:
    """The traces of one Python code."""

    def __init__(self, first: Span) -> None:
        self.first = first
        self.traces: list[Span] = []
        self.folded: dict[str, list[Span]] = defaultdict(list)
        """Library functions traced inside, by their code: Keras puts the step itself into one."""
        self.optimize_seconds = 0.0
        self.compile_seconds = 0.0
        self.calls = 0

    def add(self, trace: Span, own: bool) -> None:
        if own:
            self.traces.append(trace)
        else:
            self.folded[str(trace.attrs.get("code", trace.name))].append(trace)

    def _folded_again(self) -> list[list[Span]]:
        """What was traced again inside one outer trace was traced again all the same. By object: many functions of a
        library share one wrapper's code (all that tf.data is given, for one), and are traced once each."""
        objects: dict[object, list[Span]] = defaultdict(list)
        for code, traces in self.folded.items():
            for trace in traces:
                objects[trace.attrs.get("fn") or code].append(trace)
        return list(objects.values())

    def row(self) -> Function:
        first = self.first
        site = first.site
        objects = {trace.attrs.get("fn") for trace in self.traces}
        # Where the code is not the user's own (a Keras train function), the user's line is the call.
        file = first.attrs.get("file") or (site[0] if site else None)
        line = first.attrs.get("line") or (site[1] if site else None)
        nodes = [int(trace.attrs.get("nodes", 0)) for trace in self.traces]
        inner = sum(max(int(t.attrs.get("nodes", 0)) for t in group) for group in self.folded.values())
        most = max([self.traces, *self._folded_again()], key=len)
        lines: dict[tuple[str, int], int] = defaultdict(int)
        for trace in self.traces[:1]:
            for name, number, count in trace.attrs.get("lines", ()):
                lines[(name, number)] += count
        return Function(
            name=first.name,
            file=file,
            line=line,
            traces=len(most),
            trace_seconds=sum(trace.seconds for trace in _outermost(self.traces)),
            optimize_seconds=self.optimize_seconds,
            nodes=max(nodes, default=0) + inner,
            retraces=explain_retraces(most),
            objects=max(1, len(objects)),
            calls=self.calls,
            compile_seconds=self.compile_seconds,
            lines=[(name, number, count) for (name, number), count in lines.items()],
        )


def _outermost(traces: list[Span]) -> list[Span]:
    """Without those inside another of the same code (recursion, gradients of itself)."""
    kept: list[Span] = []
    for trace in traces:
        if not kept or trace.start_ns >= kept[-1].end_ns:
            kept.append(trace)
    return kept
