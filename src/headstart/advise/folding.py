"""Consequences are folded into their cause: one thing to mend is one finding.

A single pass over the drafts in the order below. A draft that is mostly about time which an earlier one already
explains is that one's consequence, and is noted there instead of being reported beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .draft import Draft, Interval
from .rule import Rule

ORDER: tuple[tuple[str, str], ...] = (
    ("HS102", "waiting for the outside is what it is, whatever is waited in"),
    ("HS101", "an import that nothing needed has no cause behind it"),
    ("HS313", "eager on request: slow steps, host reads and eager loops all follow from the switch"),
    ("HS207", "a model loaded anew is built, initialised, compiled and traced anew"),
    ("HS205", "a model made anew is initialised, compiled and traced anew"),
    ("HS306", "compiling anew throws away what was traced, and makes a new optimizer"),
    ("HS305", "a new function has no traces, whatever its arguments are"),
    ("HS311", "XLA compiles for each shape; the retraces for those shapes come with it"),
    (
        "HS301",
        "a graph per value: each is traced, optimised, kept, and may hold unrolled loops and constants",
    ),
    ("HS303", "a graph per object, likewise"),
    ("HS308", "a constant of many megabytes is copied by all that happens to its graph"),
    ("HS302", "a graph per shape, likewise"),
    ("HS307", "an unrolled loop makes the graph large; tracing and compiling it follow"),
    ("HS312", "a compilation that nothing above explains"),
    ("HS501", "a growing graph is prepared again in each run, takes memory and makes steps slower"),
    ("HS505", "a tape that records everything makes gradients slower and holds memory"),
    ("HS506", "a longer chain makes each pass over the data slower"),
    ("HS504", "a longer tensor makes each step slower and takes memory"),
    ("HS310", "each predict prepares a pipeline and an iterator"),
    ("HS314", "each fit prepares a pipeline and an iterator"),
    ("HS402", "Python in the pipeline is slow with or without prefetch, cache or parallel calls"),
    ("HS408", "a cache that is never filled is no cache"),
    ("HS403", "the first batch waits for the buffer, whatever fills it"),
    ("HS407", "converting lists is slow wherever it happens"),
    ("HS406", "one core: more of them help before anything else does"),
    ("HS404", "the same work in each epoch: then a prefetch would only hide it"),
    ("HS401", "what a prefetch can hide"),
    ("HS405", "values read one by one, in a loop that is otherwise in order"),
    ("HS309", "operations one by one, in a loop that is otherwise in order"),
    ("HS201", "an initialiser that takes long for its size"),
    ("HS202", "initial values that were overwritten"),
    ("HS204", "a weight that is large whatever fills it"),
    ("HS206", "many layers, built one by one"),
    ("HS203", "a load that takes longer than its bytes"),
    ("HS315", "one trace too many, where nothing else made it trace again"),
    ("HS502", "memory that grows, and nothing above holds it"),
    ("HS503", "steps that get slower, and nothing above explains it"),
    ("HS601", "everything else about a short inference program"),
)
"""(rule, why it stands before what follows)."""

MOSTLY = 0.6
GROWTH = frozenset({"HS502", "HS503"})
"""Their claim is the loop as a whole: any cause at work in that loop explains them."""
OF_MEMORY = frozenset({"HS502"})
"""The loss is the memory; the few seconds that come with it do not say what explains it."""
LOOPED = frozenset(
    {
        "HS301",
        "HS302",
        "HS303",
        "HS305",
        "HS306",
        "HS311",
        "HS205",
        "HS207",
        "HS501",
        "HS504",
        "HS505",
        "HS506",
    }
)
"""Causes whose every turn leaves something behind: graphs, functions, models, records."""


@dataclass(frozen=True)
class Claim:
    """A draft with the rule that made it."""

    rule: Rule
    draft: Draft
    folded: tuple[str, ...] = ()


def fold(claims: Iterable[Claim]) -> list[Claim]:
    position = {code: index for index, (code, _) in enumerate(ORDER)}
    ordered = sorted(claims, key=lambda c: (position.get(c.rule.code, len(ORDER)), -c.draft.seconds))
    kept: list[Claim] = []
    for claim in _one_per_line(ordered):
        cause = next((i for i, other in enumerate(kept) if _explains(other, claim)), None)
        if cause is None:
            kept.append(claim)
        else:
            other = kept[cause]
            kept[cause] = replace(other, folded=(*other.folded, f"{claim.rule.code} {claim.draft.title}"))
    return kept


def _one_per_line(claims: Iterable[Claim]) -> list[Claim]:
    best: dict[tuple[str, str | None, int | None], Claim] = {}
    for claim in claims:
        key = (claim.rule.code, claim.draft.file, claim.draft.line)
        if key not in best or claim.draft.seconds > best[key].draft.seconds:
            best[key] = claim
    return list(best.values())


def _explains(cause: Claim, claim: Claim) -> bool:
    if cause.draft.confidence == "low" and claim.draft.confidence != "low":
        return False
    if claim.rule.code in GROWTH and cause.rule.code in LOOPED:
        return True
    mine = claim.draft.claims
    if not mine or not cause.draft.claims:
        return False
    if cause.draft.seconds < 0.5 * claim.draft.seconds and claim.rule.code not in OF_MEMORY:
        return False  # a small cause does not explain a large loss
    share = overlap(mine, cause.draft.claims) / max(1, sum(end - start for start, end in merged(mine)))
    if claim.rule.code in GROWTH:
        return share > 0.2
    return share >= MOSTLY


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    result: list[Interval] = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def overlap(one: Iterable[Interval], other: Iterable[Interval]) -> int:
    """Nanoseconds that both cover."""
    left, right = merged(one), merged(other)
    total = i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        total += max(0, end - start)
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return total
