"""A loop runs operation by operation, in Python.

## What it does
Finds training loops (a gradient tape and an optimizer step) and long loops of model calls that run eagerly,
where most of the time goes into Python rather than into the operations.

## Why it costs
Eagerly, every operation is looked up, checked and dispatched from Python, forwards and backwards: ten to
fifty microseconds each, and hundreds of them a step. As one compiled graph they are dispatched once.

## Use instead
Put the step into a function and decorate it with `@tf.function`. Keep Python side effects (prints, appends,
counters) outside it, and pass tensors.

## Fix safety
`--fix` adds the decorator to the function that holds the tape. Unsafe where that function has side effects
in Python: they would run once, while it is traced.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Confidence, Draft, Interval
from ..evidence.eager import caller_in_loop, elsewhere, saved_as_graph
from ..evidence.operations import eager_loops
from ..evidence.places import Place, by_place
from ..evidence.spans import Inside
from ..evidence.words import secs
from ..rule import Rule
from ..static.functions import callee, compiled, is_tf_function, traced
from ..static.source import Edit, Problem, Source

_STEPS = 20
_CALLS = 100
_PYTHON_SHARE = 0.6
_PLAIN_SECONDS = 2.0


def detect(run: Analysis) -> Iterable[Draft]:
    if any(mark.attrs.get("on") for mark in run.marks(s.RUN_EAGERLY)):
        return  # eager on purpose, or by mistake: that switch is the cause
    loops = Inside(run.spans(s.FIT, s.CALL))
    gradients = [g for g in run.spans(s.TAPE_GRADIENT) if loops.at(g.start_ns) is None]
    found = list(_training(run, gradients))
    yield from found
    if not found:
        found = list(_inference(run, loops))
        yield from found
    if not found:
        yield from _operations(run)


def _training(run: Analysis, gradients: list[Span]) -> Iterable[Draft]:
    outside = elsewhere(run)
    best: Draft | None = None
    for (file, line), steps in by_place(gradients).items():
        tapes = {step.attrs.get("tape") for step in steps}
        if len(steps) < _STEPS or len(tapes) < len(steps) / 2:
            continue  # one tape over many steps has another cause
        start, end = _stretch(steps)
        lost, share = saved_as_graph(run, start, end, outside)
        if lost < 1.0 or share < _PYTHON_SHARE:
            continue
        site = steps[0].site
        where = caller_in_loop(file, line, site[2] if site else "")
        title = f"{len(steps)} training steps ran operation by operation, {secs(lost / len(steps))} of Python each"
        draft = _draft(where, f"{title}: {secs(lost)}", lost, ((start, end),), len(steps))
        # Several tapes in one loop (two players) are one loop.
        if best is None or draft.seconds > best.seconds:
            best = draft
    if best is not None:
        yield best


def _inference(run: Analysis, loops: Inside) -> Iterable[Draft]:
    outside = elsewhere(run)
    calls = [c for c in run.spans(s.MODEL_CALL) if loops.at(c.start_ns) is None]
    for where, group in by_place(calls).items():
        if len(group) < _CALLS:
            continue
        start, end = _stretch(group)
        lost, share = saved_as_graph(run, start, end, outside)
        if lost >= 2.0 and share >= _PYTHON_SHARE:
            title = f"{len(group)} model calls ran operation by operation, {secs(lost / len(group))} of Python each"
            yield _draft(where, f"{title}: {secs(lost)}", lost, ((start, end),), len(group))
            return


def _operations(run: Analysis) -> Iterable[Draft]:
    """Neither a tape nor a model: the sampler saw many small operations, but not how many."""
    for loop, lost, share in eager_loops(run)[:1]:
        if lost >= _PLAIN_SECONDS and share >= _PYTHON_SHARE and loop.spread:
            title = f"a loop of small operations ran one by one: {secs(lost)}"
            yield _draft(loop.line, title, lost, (loop.interval,), 0, "low")


def _stretch(steps: list[Span]) -> tuple[int, int]:
    """From the beginning of the first step (it began before its gradient) to the end of the last."""
    gap = (steps[-1].start_ns - steps[0].start_ns) // max(1, len(steps) - 1)
    return steps[0].start_ns - gap // 2, steps[-1].end_ns + gap // 2


def _draft(
    where: Place,
    title: str,
    lost: float,
    claims: tuple[Interval, ...],
    steps: int,
    confidence: Confidence | None = None,
) -> Draft:
    return Draft(
        title=title,
        file=where[0],
        line=where[1],
        seconds=lost,
        confidence=confidence or ("high" if lost >= 2 else "medium"),
        advice="Put the step into a function under @tf.function; keep prints and appends outside, and "
        "pass it tensors.",
        claims=claims,
        details={"steps": steps},
    )


def check(source: Source) -> Iterable[Problem]:
    """A tape and an optimizer step, in a loop or in a function that a loop calls, with no tf.function around."""
    if source.graph_mode or _eager_on_purpose(source):
        return
    for node in source.nodes:
        if not isinstance(node, ast.With) or not _opens_tape(source, node):
            continue
        function = source.function(node)
        if traced(source, node) or (function is not None and function.name in compiled(source)):
            continue
        home: ast.AST = function if function is not None else source.tree
        if not any(isinstance(n, ast.Call) and callee(n) == "apply_gradients" for n in ast.walk(home)):
            continue
        if function is None or source.loops(node):
            if source.loops(node):
                yield source.problem(
                    node, "this training step runs eagerly in the loop: move it into a @tf.function"
                )
            continue
        if any(callee(call) == function.name and source.loops(call) for call in source.calls):
            yield source.problem(
                function,
                f"{function.name}() trains eagerly, operation by operation: decorate it with @tf.function",
                _decorate(source, function),
            )


def _opens_tape(source: Source, node: ast.With) -> bool:
    return any(
        isinstance(item.context_expr, ast.Call)
        and source.called(item.context_expr) == "tensorflow.GradientTape"
        for item in node.items
    )


def _eager_on_purpose(source: Source) -> bool:
    return any((source.called(call) or "").endswith("run_functions_eagerly") for call in source.calls) or any(
        is_tf_function(source, call.func) for call in source.calls if isinstance(call.func, ast.Call)
    )


def _decorate(source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[Edit, ...]:
    alias = next((n for n, target in source.imported.items() if target == "tensorflow"), None)
    if alias is None or function.decorator_list or isinstance(function, ast.AsyncFunctionDef):
        return ()
    return source.new_line(source.offset(function.lineno, 0), function, f"@{alias}.function")


BAD = """\
import tensorflow as tf

layers = [tf.keras.layers.Dense(32, activation="relu") for _ in range(10)]
model = tf.keras.Sequential([tf.keras.Input((16,)), *layers, tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
optimizer.build(model.trainable_variables)


def train(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for step in range(100):
    train(tf.ones((8, 16)), tf.zeros((8, 1)))
"""

GOOD = """\
import tensorflow as tf

layers = [tf.keras.layers.Dense(32, activation="relu") for _ in range(10)]
model = tf.keras.Sequential([tf.keras.Input((16,)), *layers, tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
optimizer.build(model.trainable_variables)


@tf.function
def train(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for step in range(100):
    train(tf.ones((8, 16)), tf.zeros((8, 1)))
"""

RULE = Rule(
    code="HS309",
    slug="eager-hot-loop",
    doc=__doc__,
    symptoms=("custom training loop much slower than fit", "GradientTape loop slow", "TF2 slower than TF1"),
    threshold=(
        "20 eager steps in which Python, not the operations, took 1 s: loops that are bound by large "
        "operations gain little from a graph, and a handful of calls does not pay for its trace. "
        "Loops without a tape or a model are told from 2 s on, with low confidence."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="unsafe",
)
