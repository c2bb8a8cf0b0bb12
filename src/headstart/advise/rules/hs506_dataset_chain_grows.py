"""A data set gets another transformation in every turn.

## What it does
Finds `data = data.map(...)`, `.skip(...)`, `.concatenate(...)`, `.shuffle(...)` and the like in a loop, so
that the chain of transformations gets longer with each turn.

## Why it costs
A data set is a recipe, not a result: the tenth epoch runs through ten maps for each element, and `skip`
reads and throws away all that was skipped before. Each new iterator also optimises the longer chain.

## Use instead
Build the data set once, before the loop, and let the loop iterate over it; pass what changes through a
`tf.Variable`, or derive a new data set from the *first* one in each turn.

## Fix safety
No automatic fix: each turn may be meant to build on the last.
"""

from __future__ import annotations

import ast
import itertools
from bisect import bisect_left
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.places import by_place
from ..evidence.words import secs, times
from ..rule import Rule
from ..static.chains import METHODS, written_pipelines
from ..static.loops import assigned
from ..static.source import Problem, Source

_TIMES = 5


def detect(run: Analysis) -> Iterable[Draft]:
    created = run.spans(s.ITERATOR)
    for (file, line), made in by_place(run.spans(s.DATASET)).items():
        depths = [int(span.attrs.get("depth") or 0) for span in made]
        longer = sum(b > a for a, b in itertools.pairwise(depths))
        # A line with several transformations, run once, grows by each of them: only what a loop adds counts.
        lengths = sorted(set(depths))
        if longer < _TIMES or len(lengths) <= _TIMES or not _in_turns(made):
            continue
        passes = [c for c in created if c.start_ns > made[0].start_ns]
        if _lengths_read(made, passes) < _TIMES:
            continue  # joined from many parts, and read when it was whole
        ends = [
            *(c.start_ns for c in passes[1:]),
            run.steps.intervals_ns[-1][1] if run.steps.intervals_ns else 0,
        ]
        taken = [max(0, b - a.start_ns) for a, b in zip(passes, ends, strict=True)]
        least = min(taken[: max(2, len(taken) // 4)])
        lost = sum(max(0, t - least) for t in taken) / 1e9
        if lost < 0.5:
            continue
        yield Draft(
            title=f"the data set got longer {times(longer)}, to {max(depths)} transformations: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high" if lost >= 1 else "medium",
            advice="Build the data set once, before the loop; or derive each turn's from the first one, "
            "not from the last.",
            claims=((passes[0].start_ns, ends[-1]),),
            details={"transformations": max(depths), "times": longer},
        )


def _lengths_read(made: list[Span], passes: list[Span]) -> int:
    """How many different lengths the chain had when a pass over the data began."""
    starts = [span.start_ns for span in made]
    deepest = list(itertools.accumulate((int(span.attrs.get("depth") or 0) for span in made), max))
    return len({deepest[bisect_left(starts, one.start_ns) - 1] for one in passes})


def _in_turns(made: list[Span]) -> bool:
    """The same kind of transformation at the same line, deeper and deeper."""
    kinds: dict[str, list[int]] = {}
    for span in made:
        kinds.setdefault(span.name, []).append(int(span.attrs.get("depth") or 0))
    return any(len(set(depths)) > _TIMES for depths in kinds.values())


def check(source: Source) -> Iterable[Problem]:
    """`ds = ds.map(...)` in a loop that also iterates over `ds` or trains with it."""
    datasets = _dataset_names(source)
    for node in source.nodes:
        if (
            not isinstance(node, ast.Assign)
            or len(node.targets) != 1
            or not isinstance(node.targets[0], ast.Name)
        ):
            continue
        name = node.targets[0].id
        loops = source.loops(node)
        if name not in datasets or not loops or _start(node.value) != name:
            continue
        others = [
            n
            for n in ast.walk(loops[0])
            if isinstance(n, ast.Name) and n.id == name and n not in ast.walk(node)
        ]
        used = any(isinstance(n.ctx, ast.Load) for n in others)
        reset = any(isinstance(n.ctx, ast.Store) for n in others)
        if (
            used
            and not reset
            and not any(
                name in assigned(loop)
                for loop in loops[1:]
                if loop is not loops[0] and not _inside(loops[0], loop)
            )
        ):
            yield source.problem(node, f"{name} gets one transformation longer in every turn of the loop")


def _inside(inner: ast.AST, outer: ast.AST) -> bool:
    return inner in ast.walk(outer)


def _dataset_names(source: Source) -> set[str]:
    found = set()
    for chain in written_pipelines(source):
        for link in chain:
            above = source.parents.get(link.call)
            if isinstance(above, ast.Assign):
                found |= {t.id for t in above.targets if isinstance(t, ast.Name)}
    return found


def _start(node: ast.expr) -> str | None:
    """The variable that a chain of data set methods starts from."""
    seen = False
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        node, seen = node.func.value, True
    return node.id if seen and isinstance(node, ast.Name) else None


BAD = """\
import tensorflow as tf

data = tf.data.Dataset.range(2000).batch(10)
total = tf.function(lambda x: tf.reduce_sum(x))
for epoch in range(40):
    data = data.map(lambda x: x + 1)
    for batch in data:
        total(batch)
"""

GOOD = """\
import tensorflow as tf

shift = tf.Variable(0, dtype=tf.int64)
data = tf.data.Dataset.range(2000).batch(10).map(lambda x: x + shift)
total = tf.function(lambda x: tf.reduce_sum(x))
for epoch in range(40):
    shift.assign_add(1)
    for batch in data:
        total(batch)
"""

RULE = Rule(
    code="HS506",
    slug="dataset-chain-grows",
    doc=__doc__,
    symptoms=(
        "each epoch is slower than the last with tf.data",
        "dataset.skip in a loop",
        "concatenate in a loop",
    ),
    threshold=(
        "A chain that grew 5 times or more at one line, and epochs that cost 0.5 s more than the first: a "
        "chain that is whole before the first pass over it is as long as it should be."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
