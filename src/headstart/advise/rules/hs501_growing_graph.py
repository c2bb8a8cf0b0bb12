"""A TF1-style graph grows with every step.

## What it does
Finds lines that add operations to the graph between calls of `Session.run`: an expression built in the
loop, an iterator or a saver made per epoch, `assign` or `gradients` called each time.

## Why it costs
A graph keeps all that was ever added to it. Each run with something new sends the additions to the runtime
and prunes, places and optimises again, over a graph that gets larger: steps become slower and memory grows.

## Use instead
Build everything before the loop, with placeholders for what changes, and call
`tf.compat.v1.get_default_graph().finalize()` so that an addition is an error.

## Fix safety
No automatic fix: the expression's inputs must become placeholders.
"""

from __future__ import annotations

import ast
import itertools
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.samples import samples
from ..evidence.sessions import is_new, ordinary_ns
from ..evidence.words import secs
from ..rule import Rule
from ..static.source import Loop, Problem, Source

_RUNS = 5
_CLOSING = ("client/session.py:close", "client/session.py:__del__")


def detect(run: Analysis) -> Iterable[Draft]:
    by_graph: dict[object, list[Span]] = defaultdict(list)
    for span in run.spans(s.SESSION_RUN):
        by_graph[span.attrs.get("graph")].append(span)
    for runs in by_graph.values():
        # What is there before the first run was built once; additions after it are the loop's.
        grown = [r for r in runs[1:] if int(r.attrs.get("added", 0)) > 0]
        lines: Counter[tuple[str, int]] = Counter()
        for r in grown:
            for file, line, count in r.attrs.get("by") or ():
                lines[(file, line)] += count
        if len(grown) < _RUNS or not lines:
            continue
        lost, claims = _cost(run, runs, grown)
        if lost < 0.5:
            continue
        (file, line), _ = lines.most_common(1)[0]
        ops = sum(int(r.attrs.get("added", 0)) for r in grown)
        yield Draft(
            title=f"{ops:,} operations were added to the graph before {len(grown)} of its runs: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high",
            advice="Build it once, before the loop, with placeholders; graph.finalize() then makes every "
            "addition an error.",
            claims=claims,
            details={"operations": ops, "runs": len(grown), "graph": runs[-1].attrs.get("ops")},
        )


def _cost(run: Analysis, runs: list[Span], grown: list[Span]) -> tuple[float, tuple[tuple[int, int], ...]]:
    """Runs beyond an ordinary one, and building between them."""
    plain = [r for r in runs if not is_new(r)]
    usual = ordinary_ns(run) if plain else 500_000
    lost = sum(max(0, r.end_ns - r.start_ns - usual) for r in grown)
    starts = [segment.start_ns for segment in run.timeline]
    previous = {id(after): before for before, after in itertools.pairwise(runs)}
    for r in grown:
        before = previous.get(id(r))
        if before is None:
            continue
        for segment in run.timeline[bisect_left(starts, before.end_ns) : bisect_left(starts, r.start_ns)]:
            if segment.phase not in ("user-code", "external-wait"):
                lost += segment.end_ns - segment.start_ns
    # Closing a session frees what was kept for every set of operations that it ever ran.
    for sample, weight in samples(run).between(grown[0].start_ns, run.run.end_ns):
        if sample.leaf.endswith(_CLOSING):
            lost += weight
    return lost / 1e9, tuple((r.start_ns, r.end_ns) for r in runs)


# What may stand in a loop of a TF1 program: it makes no operations.
_HARMLESS = (
    "tensorflow.errors.", "tensorflow.logging.", "tensorflow.gfile.", "tensorflow.io.gfile.", "tensorflow.Session",
    "tensorflow.train.latest_checkpoint", "tensorflow.get_default_", "tensorflow.reset_default_graph",
    "tensorflow.train.Example", "tensorflow.train.Feature", "tensorflow.train.Int64List",
    "tensorflow.train.FloatList",
    "tensorflow.train.BytesList", "tensorflow.Summary", "tensorflow.summary.FileWriter", "tensorflow.python_io.",
    "tensorflow.ConfigProto", "tensorflow.RunOptions", "tensorflow.RunMetadata", "tensorflow.profiler.",
    "tensorflow.Graph", "tensorflow.flags.", "tensorflow.app.", "tensorflow.compat.", "tensorflow.global_step",
    "tensorflow.train.global_step", "tensorflow.dtypes.", "tensorflow.train.Coordinator",
    "tensorflow.set_random_seed",
    "tensorflow.name_scope", "tensorflow.variable_scope", "tensorflow.device", "tensorflow.get_collection",
)  # fmt: skip


def check(source: Source) -> Iterable[Problem]:
    """Operations made in a loop that also runs a session, on the same graph."""
    for loop in source.nodes:
        if not isinstance(loop, (ast.For, ast.While)) or not _runs_session(loop) or _new_graph(source, loop):
            continue
        for call in sorted(_own_calls(source, loop), key=lambda c: c.lineno):
            name = source.called(call) or ""
            # TensorFlow's own modules have many functions that add nothing: only the public names are known.
            if name.startswith("tensorflow.") and not name.startswith((*_HARMLESS, "tensorflow.python.")):
                yield source.problem(
                    call, f"{name.replace('tensorflow', 'tf', 1)}() adds to the graph in every turn"
                )
                break


def _own_calls(source: Source, loop: Loop) -> list[ast.Call]:
    return [
        c for s in loop.body for c in ast.walk(s) if isinstance(c, ast.Call) and source.loops(c)[:1] == [loop]
    ]


def _runs_session(loop: Loop) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and isinstance(node.func.value, (ast.Name, ast.Attribute))
        and (
            node.func.value.id if isinstance(node.func.value, ast.Name) else node.func.value.attr
        ).startswith("ses")
        for statement in loop.body
        for node in ast.walk(statement)
    )


def _new_graph(source: Source, loop: Loop) -> bool:
    """A loop that makes its own graph per turn (a fold, a search) starts from nothing each time."""
    return any(
        isinstance(node, ast.Call)
        and (source.called(node) or "").endswith(("tensorflow.Graph", "reset_default_graph", "clear_session"))
        for statement in loop.body
        for node in ast.walk(statement)
    )


BAD = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.placeholder(tf.float32, (16,))
with tf.Session() as sess:
    for step in range(300):
        distance = tf.reduce_sum(tf.square(a - 1.0))
        sess.run(distance, {a: np.ones(16)})
"""

GOOD = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.placeholder(tf.float32, (16,))
distance = tf.reduce_sum(tf.square(a - 1.0))
with tf.Session() as sess:
    for step in range(300):
        sess.run(distance, {a: np.ones(16)})
"""

RULE = Rule(
    code="HS501",
    slug="growing-graph",
    doc=__doc__,
    symptoms=("session.run gets slower over time", "graph size grows", "memory leak in TF1 loop"),
    threshold=(
        "Additions before 5 runs or more of one graph that cost 0.5 s together: a saver or a summary made "
        "after the first step is added once."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
