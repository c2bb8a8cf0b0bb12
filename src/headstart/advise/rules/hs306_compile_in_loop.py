"""A Keras model is compiled again in the loop.

## What it does
Finds a `model.compile(...)` that runs again and again on the same model: GAN loops that toggle `trainable`,
schedules that compile to change the learning rate, `compile` next to every `fit`.

## Why it costs
`compile` itself takes milliseconds, but it throws away the compiled train function and makes a new
optimizer: the next batch is traced twice (the optimizer's slots are created in the first trace) and
optimised again.

## Use instead
Compile once. Change a rate with `model.optimizer.learning_rate.assign(...)`; train two players with two
optimizers in one custom `train_step`, each with its own list of variables.

## Fix safety
No automatic fix: a compile also resets the optimizer's state, and code may rely on that.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft, Interval
from ..evidence.models import batches_in, keras_traces, model_of
from ..evidence.places import place
from ..evidence.tracing import traces_in
from ..evidence.words import secs, times
from ..rule import Rule
from ..static.loops import assigned, loop_variables
from ..static.source import Problem, Source

_COMPILES = 3
_EARNED = 100
"""Batches after each compile from which its trace is a small part."""


def detect(run: Analysis) -> Iterable[Draft]:
    """All models that one function compiles in its loop are one cause: they are mended together."""
    by_model: dict[int, list[Span]] = defaultdict(list)
    for span in run.spans(s.COMPILE):
        if span.site is not None:
            by_model[model_of(run, span)].append(span)
    repeated = {model: spans for model, spans in by_model.items() if len(spans) >= _COMPILES}
    if not repeated:
        return
    batches = batches_in(run)
    loops: dict[tuple[str, str], dict[int, list[Span]]] = defaultdict(dict)
    for model, spans in repeated.items():
        site = spans[-1].site
        assert site is not None
        loops[(site[0], site[2])][model] = spans
    traces = keras_traces(run)
    for members in loops.values():
        lost_ns = 0
        claims = []
        by_line: dict[tuple[str, int], int] = defaultdict(int)
        for model, spans in members.items():
            seen: dict[object, Interval] = {}
            for traced, loop in traces:
                if model_of(run, loop) != model:
                    continue
                # A graph of another size is another step: other layers learn, or the loss is another.
                graph = (loop.name, *((t.name, t.attrs.get("nodes")) for t in traces_in(run, traced)))
                new = seen.setdefault(graph, traced.interval) == traced.interval
                before = [span for span in spans if span.end_ns <= traced.trace.start_ns]
                if len(before) >= 2 and not new:
                    lost_ns += traced.lost_ns
                    where = place(before[-1])
                    assert where is not None
                    by_line[where] += traced.lost_ns
                    claims.append(traced.interval)
        if lost_ns / 1e9 < 0.5 or not by_line:
            continue
        file, line = max(by_line, key=lambda where: by_line[where])
        count = sum(len(spans) for spans in members.values())
        fits = [loop for loop in run.spans(s.FIT) if model_of(run, loop) in members]
        each = median([batches.get(loop.start_ns, 1) for loop in fits]) * len(fits) / count if fits else 0
        yield Draft(
            title=f"compile() was called {times(count)}, and the batches after it were traced anew: "
            f"{secs(lost_ns / 1e9)}",
            file=file,
            line=line,
            seconds=lost_ns / 1e9,
            confidence="low" if each > _EARNED else "high",
            advice="Compile once. Change a rate with model.optimizer.learning_rate.assign(…); train two "
            "players in one train_step.",
            claims=tuple(claims),
            details={"models": len(members), "compiles": count, "lines": sorted(by_line)},
        )


def check(source: Source) -> Iterable[Problem]:
    if not source.uses_tensorflow:
        return
    for call in source.calls:
        func = call.func
        if (
            not isinstance(func, ast.Attribute)
            or func.attr != "compile"
            or not isinstance(func.value, ast.Name)
        ):
            continue
        given = {keyword.arg for keyword in call.keywords}
        if func.value.id in source.imported or not ({"optimizer", "loss"} & given or call.args):
            continue
        loops = source.loops(call)
        if not loops:
            continue
        # A model that the loop makes must be compiled there.
        fresh = any(func.value.id in assigned(loop) | loop_variables(loop) for loop in loops)
        if not fresh and not _guarded(source, call):
            yield source.problem(
                call, f"{func.value.id}.compile() in a loop: each one makes the next batch trace again"
            )


def _guarded(source: Source, call: ast.Call) -> bool:
    """Under an `if` in the loop it may run once or twice only: phases of a fine-tuning."""
    for above in source.ancestors(call):
        if isinstance(above, (ast.If, ast.Try)):
            return True
        if isinstance(above, (ast.For, ast.AsyncFor, ast.While)):
            return False
    return False


BAD = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])
x, y = np.ones((64, 8), "float32"), np.ones((64, 1), "float32")
for rate in np.geomspace(0.1, 0.001, 15):
    model.compile(optimizer=keras.optimizers.SGD(rate), loss="mse")
    model.fit(x, y, verbose=0)
"""

GOOD = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])
x, y = np.ones((64, 8), "float32"), np.ones((64, 1), "float32")
model.compile(optimizer=keras.optimizers.SGD(0.1), loss="mse")
for rate in np.geomspace(0.1, 0.001, 15):
    model.optimizer.learning_rate.assign(rate)
    model.fit(x, y, verbose=0)
"""

RULE = Rule(
    code="HS306",
    slug="compile-in-loop",
    doc=__doc__,
    symptoms=(
        "GAN training gets slow after compile",
        "train_on_batch slow after setting trainable",
        "compile in a loop",
    ),
    threshold=(
        "One model compiled 3 times or more and 0.5 s of tracing after the first: compiling twice, once "
        "for the head and once for fine-tuning, is how that is done. A trace that the model has not had before, "
        "because other layers learn, is not lost."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
