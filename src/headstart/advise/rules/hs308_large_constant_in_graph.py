"""A large array is baked into the graph.

## What it does
Finds arrays of 10 MB and more that became constants of a graph: a NumPy array used inside a `tf.function`
or a `Dataset.map`, a whole data set given to `from_tensor_slices` in TF1 graph mode.

## Why it costs
A constant is part of the graph's text. It is copied into the graph, serialised, hashed and copied again by
every optimisation pass and for every session, trace and iterator: seconds for 100 MB, and an error at 2 GB.

## Use instead
Pass the array as an argument, or keep it in a `tf.Variable` or a `tf.constant` made outside the function,
which is captured by reference. In TF1, feed it through a placeholder when the iterator is initialised.

## Fix safety
No automatic fix: the function's signature or the feeding changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.sessions import extra_of_new_requests
from ..evidence.spans import Inside, total_seconds
from ..evidence.tracing import groups, traces_in
from ..evidence.words import secs, size
from ..rule import Rule

_LARGE = 10_000_000


def detect(run: Analysis) -> Iterable[Draft]:
    yield from _in_functions(run)
    yield from _in_pipelines(run)
    yield from _in_sessions(run)


def _in_functions(run: Analysis) -> Iterable[Draft]:
    for group in groups(run):
        baked = _baked(trace for traced in group.traces for trace in traces_in(run, traced))
        if sum(baked.values()) < _LARGE:
            continue
        file, line = max(baked, key=lambda where: baked[where])
        lost = sum(t.lost_ns for t in group.traces) / 1e9
        if lost >= 0.5:
            intervals = tuple(t.interval for t in group.traces)
            yield _draft(file, line, sum(baked.values()), lost, f"the graph of {group.name}()", intervals)


def _in_pipelines(run: Analysis) -> Iterable[Draft]:
    """A function of a data set is copied and optimised, with all that it holds, for every iterator over it."""
    made = run.spans(s.DATASET)
    by_line: dict[tuple[str, int], tuple[int, list[Span]]] = {}
    for trace in run.spans(s.TRACE):
        baked = _baked([trace]) if trace.name.startswith("Dataset_") else {}
        if sum(baked.values()) < _LARGE:
            continue
        # The transformation comes into being right after its function was traced.
        node = next((x for x in made if x.start_ns >= trace.start_ns and x.site == trace.site), None)
        over = _built_on(made, node.attrs.get("id")) if node is not None else set()
        slow = [x for x in run.spans(s.ITERATOR) if x.attrs.get("dataset") in over]
        where = max(baked, key=lambda place: baked[place])
        count, spans = by_line.get(where, (0, []))
        by_line[where] = (count + sum(baked.values()), [*spans, trace, *slow])
    for (file, line), (count, spans) in by_line.items():
        lost = total_seconds(spans)
        if lost >= 0.5:
            intervals = tuple((x.start_ns, x.end_ns) for x in spans)
            yield _draft(file, line, count, lost, "the graph of a data set", intervals)


def _baked(traces: Iterable[Span]) -> dict[tuple[str, int], int]:
    """Bytes of constants by the user's line."""
    baked: dict[tuple[str, int], int] = defaultdict(int)
    for trace in traces:
        for file, line, count in trace.attrs.get("consts") or ():
            if file:
                baked[(file, line)] += count
    return baked


def _built_on(made: list[Span], number: object) -> set[object]:
    """The data set of this number, and all that were made of it."""
    over = {number}
    for span in made:
        if over.intersection(span.attrs.get("inputs") or ()):
            over.add(span.attrs.get("id"))
    return over


def _in_sessions(run: Analysis) -> Iterable[Draft]:
    """TF1: a constant is part of the graph, which every session and every new request copies."""
    traces = Inside(run.spans(s.TRACE))
    by_line: dict[tuple[str, int], list[Span]] = defaultdict(list)
    for span in run.spans(s.CONVERT):
        if span.attrs.get("graph") and span.site and traces.at(span.start_ns) is None:
            by_line[(span.site[0], span.site[1])].append(span)
    large = {where: spans for where, spans in by_line.items() if _bytes(spans) >= _LARGE}
    if not large:
        return
    lost, claims = extra_of_new_requests(run)
    lost += total_seconds(span for spans in large.values() for span in spans)
    if lost >= 0.5:
        file, line = max(large, key=lambda where: _bytes(large[where]))
        yield _draft(file, line, sum(_bytes(spans) for spans in large.values()), lost, "the graph", claims)


def _bytes(spans: list[Span]) -> int:
    return sum(int(span.attrs.get("bytes") or 0) for span in spans)


def _draft(
    file: str, line: int, count: int, lost: float, where: str, claims: tuple[tuple[int, int], ...]
) -> Draft:
    return Draft(
        title=f"{size(count)} of data were baked into {where} as constants: {secs(lost)}",
        file=file,
        line=line,
        seconds=lost,
        confidence="high" if lost >= 1 else "medium",
        advice="Make a tf.constant or tf.Variable of it outside the function, or pass it in; in TF1, "
        "feed it to a placeholder.",
        claims=claims,
        details={"bytes": count},
    )


BAD = """\
import numpy as np
import tensorflow as tf

table = np.random.default_rng(0).standard_normal((400_000, 128), dtype="float32")


@tf.function
def nearest(x):
    return tf.argmax(tf.linalg.matvec(table, x))


for i in range(5):
    print(int(nearest(tf.ones((128,)) * float(i))))
"""

GOOD = """\
import numpy as np
import tensorflow as tf

table = tf.constant(np.random.default_rng(0).standard_normal((400_000, 128), dtype="float32"))


@tf.function
def nearest(x):
    return tf.argmax(tf.linalg.matvec(table, x))


for i in range(5):
    print(int(nearest(tf.ones((128,)) * float(i))))
"""

RULE = Rule(
    code="HS308",
    slug="large-constant-in-graph",
    doc=__doc__,
    symptoms=(
        "GraphDef cannot be larger than 2GB",
        "first session.run is slow",
        "numpy array in tf.function slow",
    ),
    threshold=("10 MB at one line and 0.5 s in the graphs that hold it: small tables are constants rightly."),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
