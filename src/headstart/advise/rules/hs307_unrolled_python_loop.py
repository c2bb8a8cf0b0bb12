"""A Python loop is unrolled into the graph.

## What it does
Finds the loop, inside code that is traced, whose body was copied into the graph many times: `for _ in
range(400)` over time steps, a loop over a long list, a `while` on a Python counter.

## Why it costs
AutoGraph turns a loop over a tensor into one graph loop, but runs a loop over a Python value while tracing:
400 turns make 400 copies of the body, each traced, differentiated and optimised. The time before the first
step grows with the number of turns, and faster than it.

## Use instead
`for _ in tf.range(n)`, which becomes one `while` node; `tf.scan`, `tf.map_fn` or a recurrent layer where
the turns feed each other; one batched operation where they do not.

## Fix safety
`--fix` writes `tf.range` for `range`. Unsafe where the body indexes Python lists with the counter, appends
to a list, or changes a tensor's shape or type from turn to turn.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.samples import samples
from ..evidence.spans import Inside
from ..evidence.tracing import Group, groups, traces_in
from ..evidence.unrolled import Unrolled, unrolled_loops
from ..evidence.words import secs
from ..rule import Rule
from ..static.functions import decorator
from ..static.source import Edit, Problem, Source

_MANY = 100
"""Turns from which the unrolled graph costs seconds; a loop over a dozen layers is meant to be unrolled."""


def detect(run: Analysis) -> Iterable[Draft]:
    for group in groups(run):
        trace = max(traces_in(run, group.traces[0]), key=lambda t: int(t.attrs.get("nodes", 0)), default=None)
        found = unrolled_loops(trace) if trace is not None else []
        if trace is None or not found:
            continue
        loop = found[0]
        again = _built(run, loop)
        lost = (_cost(run, group) * loop.share + again) * (1 - 1 / loop.turns)
        if lost < 1.0:
            continue
        nodes = int(trace.attrs.get("nodes", 0))
        yield Draft(
            title=f"a Python loop was unrolled into the graph some {loop.turns} times ({nodes:,} nodes): "
            f"{secs(lost)}",
            file=loop.file,
            line=loop.line,
            seconds=lost,
            confidence="high" if loop.counts else "low",
            advice=_advice(loop),
            claims=tuple(t.interval for t in group.traces),
            details={"function": group.name, "turns": loop.turns, "share_of_nodes": round(loop.share, 2)},
        )


def _cost(run: Analysis, group: Group) -> float:
    """Tracing, optimising and first runs, also of the backward functions that calls outside made."""
    lost = sum(t.lost_ns for t in group.traces)
    mark = f"_{group.name}_"
    inside = [t.interval for t in group.traces]
    for span in run.spans(s.EXECUTE):
        backward = span.attrs.get("first") and mark in span.name and "backward" in span.name
        if backward and not any(a <= span.start_ns < b for a, b in inside):
            lost += span.end_ns - span.start_ns
    return lost / 1e9


def _built(run: Analysis, loop: Unrolled) -> float:
    """Keras goes through a layer's `call` once more when a model is built: seconds seen in the loop there."""
    traced = Inside(run.spans(s.TRACE, s.CALL))
    seen = samples(run)
    return sum(
        weight / 1e9
        for build in Inside(run.spans(s.MODEL_BUILD)).spans
        for sample, weight in seen.between(build.start_ns, build.end_ns)
        if sample.file == loop.file
        and loop.line <= sample.line <= loop.last
        and traced.at(sample.at_ns) is None
    )


def _advice(loop: Unrolled) -> str:
    return "Iterate over tf.range(n), which becomes one graph loop; or use tf.scan, or a recurrent layer."


def check(source: Source) -> Iterable[Problem]:
    for loop in source.nodes:
        if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
            continue
        func = loop.iter.func
        if not isinstance(func, ast.Name) or func.id != "range" or func.id in source.imported:
            continue
        function = source.function(loop)
        if function is None or decorator(source, function) is None or not _computes(source, loop):
            continue
        turns = _turns(source, loop.iter)
        if turns is not None and turns >= _MANY:
            alias = next((n for n, target in source.imported.items() if target == "tensorflow"), None)
            edits = (Edit(source.start(func), source.end(func), f"{alias}.range"),) if alias else ()
            yield source.problem(
                loop, f"this loop is unrolled into the graph {turns} times: iterate over tf.range", edits
            )


def _turns(source: Source, call: ast.Call) -> int | None:
    bounds = [source.integer(node) for node in call.args]
    if call.keywords or not bounds or None in bounds:
        return None
    return len(range(*[b for b in bounds if b is not None]))


def _computes(source: Source, loop: ast.For) -> bool:
    return any(
        isinstance(node, ast.Call) and (source.called(node) or "").startswith(("tensorflow.", "keras."))
        for statement in loop.body
        for node in ast.walk(statement)
    )


BAD = """\
import tensorflow as tf

a = tf.Variable(tf.eye(16) * 0.99)


@tf.function
def rollout(x):
    total = tf.constant(0.0)
    for _ in range(600):
        x = tf.tanh(tf.matmul(x, a))
        total += tf.reduce_mean(x * x)
    return total


for i in range(5):
    print(float(rollout(tf.ones((4, 16)))))
"""

GOOD = """\
import tensorflow as tf

a = tf.Variable(tf.eye(16) * 0.99)


@tf.function
def rollout(x):
    total = tf.constant(0.0)
    for _ in tf.range(600):
        x = tf.tanh(tf.matmul(x, a))
        total += tf.reduce_mean(x * x)
    return total


for i in range(5):
    print(float(rollout(tf.ones((4, 16)))))
"""

RULE = Rule(
    code="HS307",
    slug="unrolled-python-loop",
    doc=__doc__,
    symptoms=(
        "tf.function takes minutes to trace",
        "for loop in tf.function is slow the first time",
        "graph too large",
    ),
    threshold=(
        "A loop whose lines were traced 30 times or more, made most of the graph's nodes and cost 1 s: a "
        "loop over a model's layers is short, and unrolling it is right."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="unsafe",
)
