"""Why a function was traced again: which argument, before and now.

A trace is compared with the earlier trace of the same object that it is nearest to, since that is the one that
could have served: TensorFlow keeps them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..record.nouns import Span
from .report import Retrace

NEW_FUNCTION = "new-function"
VARIABLES_CREATED = "variables-created"
Leaf = tuple[str, str]
COMPARED = 64
"""Earlier traces that one is compared with: a storm of thousands must not take the analysis minutes."""


def explain_retraces(traces: list[Span]) -> list[Retrace]:
    """One entry for each trace after the first. Traces are of one Python code, in order."""
    return [
        _explain(traces[index], traces[:index])
        for index in range(1, len(traces))
        if not _inside(traces, index)
    ]


def _inside(traces: Sequence[Span], index: int) -> bool:
    """Traced inside a trace of the same code (its own gradient, a recursion): part of that one."""
    start = traces[index].start_ns
    return any(other.start_ns <= start < other.end_ns for other in traces[:index])


def _explain(trace: Span, before: Sequence[Span]) -> Retrace:
    site = trace.site
    argument = old = new = None
    same = [other for other in before if other.attrs.get("fn") == trace.attrs.get("fn")]
    if not same:
        reason = NEW_FUNCTION
    else:
        leaves = leaves_of(trace)
        nearest = min(reversed(same[-COMPARED:]), key=lambda other: len(difference(leaves_of(other), leaves)))
        changed = difference(leaves_of(nearest), leaves)
        if not changed:
            created = trace.attrs.get("scope") != nearest.attrs.get("scope") or nearest.attrs.get("variables")
            reason = VARIABLES_CREATED if created else "unknown"
        else:
            argument, old, new = changed[0]
            reason = why(old, new)
    return Retrace(
        argument=argument,
        before=old,
        after=new,
        file=site[0] if site else None,
        line=site[1] if site else None,
        seconds=trace.seconds,
        reason=reason,
    )


def leaves_of(trace: Span) -> list[Leaf]:
    return [(str(leaf[0]), str(leaf[1])) for leaf in trace.attrs.get("args") or ()]


def difference(before: Sequence[Leaf], after: Sequence[Leaf]) -> list[tuple[str, str | None, str | None]]:
    """(argument, before, now) of the leaves that differ; what is on one side only counts as changed."""
    old, new = dict(before), dict(after)
    changed: list[tuple[str, str | None, str | None]] = [
        (name, old.get(name), text) for name, text in after if old.get(name) != text
    ]
    changed += [(name, text, None) for name, text in before if name not in new]
    # Something that a tensor could replace is the more useful answer than what follows from it.
    return sorted(changed, key=lambda item: _ORDER.get(why(item[1], item[2]), 9))


_ORDER = {"scalar": 0, "object": 1, "structure": 2, "dtype": 3, "shape": 4}
_TENSOR = re.compile(r"^(?:\w+) (\w+)\[(.*)\]$")
_LENGTHS = ("list of ", "tuple of ")
_SCALARS = ("Python int ", "Python float ", "Python bool ", "Python str ", "Python complex ", "Python bytes ")


def why(before: str | None, after: str | None) -> str:
    """ "scalar" | "shape" | "dtype" | "object" | "structure" | "unknown"."""
    if before is None or after is None or (before.startswith(_LENGTHS) and after.startswith(_LENGTHS)):
        return "structure"
    if before.startswith(_SCALARS) or after.startswith(_SCALARS):
        return "scalar"
    if before.startswith("Python NoneType") or after.startswith("Python NoneType"):
        return "structure"
    old, new = _TENSOR.match(before), _TENSOR.match(after)
    if old and new:
        return "shape" if old.group(1) == new.group(1) else "dtype"
    if before.startswith(("object ", "Python ")) and after.startswith(("object ", "Python ")):
        return "object"
    if _without_shapes(before) == _without_shapes(after):
        return "shape"
    return "object" if "object " in before + after else "unknown"


def _without_shapes(text: str) -> str:
    """Composite types (iterators, ragged tensors) say their shapes somewhere in their text."""
    return re.sub(r"\((?:(?:\d+|None|\?),? ?)*\)|\[(?:(?:\d+|None|\?),? ?)*\]", "()", text)
