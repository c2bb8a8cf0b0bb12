"""Retraces of one kind as drafts: HS301, HS302 and HS303 differ in the reason and in what to write instead."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from .tracing import REPEATS, WORTH_SECONDS, Group, Traced, groups, intervals, seconds
from .words import secs

KINDS = {
    "scalar": "scalar",
    "shape": "shape",
    "dtype": "shape",
    "object": "object",
    "structure": "object",
    "unknown": "object",
}
"""Reason of a retrace → which of the three rules it belongs to."""


EARNED: dict[str, tuple[int, int]] = {"scalar": (50, 8), "shape": (50, 30), "object": (20, 1_000_000)}
"""Kind → (calls each from which a trace has paid for itself, traces up to which that may be on purpose): stages of a
curriculum, buckets of lengths, a model per fold. Such a storm is told with doubt."""


def dominant(group: Group) -> str | None:
    """The kind of change that cost most: one storm has one cause, whatever else changed along the way."""
    costs: dict[str, int] = defaultdict(int)
    for traced in group.traces:
        if traced.why is not None and traced.why.reason in KINDS:
            costs[KINDS[traced.why.reason]] += traced.lost_ns
    return max(costs, key=lambda kind: costs[kind]) if costs else None


def storms(
    run: Analysis, kind: str, worth: Callable[[Group, int], bool]
) -> Iterable[tuple[Group, list[Traced]]]:
    """Codes whose retraces are mostly of this kind, often and costly enough."""
    for group in groups(run):
        if dominant(group) != kind:
            continue
        again = [t for t in group.traces if t.why is not None and t.why.reason in KINDS]
        if len(again) >= REPEATS and seconds(again) >= WORTH_SECONDS and worth(group, len(again)):
            yield group, again


def earned(group: Group, again: list[Traced]) -> bool:
    each, most = EARNED[dominant(group) or "object"]
    return group.calls_each >= each and len(again) < most


def storm_draft(group: Group, again: list[Traced], what: str, advice: str) -> Draft:
    """One finding for the whole storm, at the line that calls."""
    file, line = where(again)
    argument = top_argument(again)
    example = next(t.why for t in again if t.why is not None and t.why.argument == argument)
    change = (
        f"{example.before} → {example.after}" if example.before and example.after else "is not always there"
    )
    lost = seconds(again)
    return Draft(
        title=f"{group.name}() was traced {len(group.traces)} times, {what} ({argument}: {change}): {secs(lost)}",
        file=file,
        line=line,
        seconds=lost,
        confidence="low" if earned(group, again) else "high" if len(again) >= 5 else "medium",
        advice=advice,
        claims=intervals(again),
        details={
            "function": group.name,
            "defined": [again[0].trace.attrs.get("file"), again[0].trace.attrs.get("line")],
            "traces": len(group.traces),
            "calls": group.calls,
            "argument": argument,
            "before": example.before,
            "after": example.after,
            "seconds_each": [round(t.lost_ns / 1e9, 4) for t in again[:50]],
        },
    )


def top_argument(again: list[Traced]) -> str | None:
    counts = Counter(t.why.argument for t in again if t.why is not None and t.why.argument)
    return counts.most_common(1)[0][0] if counts else None


def top_reason(again: list[Traced]) -> str:
    return Counter(t.why.reason for t in again if t.why is not None).most_common(1)[0][0]


def where(again: list[Traced]) -> tuple[str | None, int | None]:
    """The line that called most of them, else where the function is defined."""
    lines = Counter((t.why.file, t.why.line) for t in again if t.why is not None and t.why.file)
    if lines:
        return lines.most_common(1)[0][0]
    trace = again[0].trace
    return trace.attrs.get("file"), trace.attrs.get("line")


def plain_name(argument: str | None) -> str:
    """`args[0].scale` → `scale`, for an example of what to write."""
    name = (argument or "value").split("[")[0]
    return name.rsplit(".", 1)[-1]
