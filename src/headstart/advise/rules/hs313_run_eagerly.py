"""Graphs are switched off, and everything runs eagerly.

## What it does
Finds `compile(run_eagerly=True)`, `model.run_eagerly = True`, `tf.config.run_functions_eagerly(True)` and data
sets in debug mode that were left on while the program trained.

## Why it costs
They are made for stepping through code in a debugger: every operation of every step is dispatched from
Python, which is five to fifty times slower for models of small operations.

## Use instead
Remove the switch, or set it from a `--debug` option.

## Fix safety
`--fix` removes `run_eagerly=True` from `compile(...)` and lines that only call
`run_functions_eagerly(True)`. Unsafe where the step relies on Python side effects or on `.numpy()`, which
fail in a graph.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.eager import elsewhere, saved_as_graph
from ..evidence.pipelines import pipelines
from ..evidence.pycalls import calls_in
from ..evidence.words import secs
from ..rule import Rule
from ..static.source import Edit, Problem, Source

_SWITCHES = (
    "tensorflow.config.run_functions_eagerly",
    "tensorflow.config.experimental_run_functions_eagerly",
    "tensorflow.data.experimental.enable_debug_mode",
)


def detect(run: Analysis) -> Iterable[Draft]:
    yield from _steps(run)
    yield from _pipelines(run)


def _steps(run: Analysis) -> Iterable[Draft]:
    outside = elsewhere(run, s.FIT, s.CALL, s.NEXT)
    sites = _eager_models(run)
    fits = [f for f in run.spans(s.FIT) if f.attrs.get("eager") and not f.attrs.get("nested")]
    if sites and fits:
        lost = sum(saved_as_graph(run, f.start_ns, f.end_ns, outside)[0] for f in fits)
        if lost >= 1.0:
            claims = tuple((f.start_ns, f.end_ns) for f in fits)
            yield _draft(sites[0], "run_eagerly=True made Keras", lost, claims)
            return
    switches = [m for m in run.marks(s.RUN_EAGERLY) if m.attrs.get("on") and m.attrs.get("site")]
    if switches:
        start = switches[0].at_ns
        off = [m.at_ns for m in run.marks(s.RUN_EAGERLY) if not m.attrs.get("on") and m.at_ns > start]
        end = off[0] if off else run.run.end_ns
        steps = [
            c for c in run.spans(s.CALL, s.FIT) if start <= c.start_ns < end and not c.attrs.get("nested")
        ]
        lost = sum(
            saved_as_graph(run, c.start_ns, c.end_ns, outside)[0] for c in steps if not c.attrs.get("under")
        )
        if lost >= 1.0:
            claims = tuple((c.start_ns, c.end_ns) for c in steps)
            yield _draft(
                tuple(switches[0].attrs["site"]), "run_functions_eagerly(True) made every step", lost, claims
            )


def _pipelines(run: Analysis) -> Iterable[Draft]:
    """tf.data's debug mode: functions of a pipeline are called in Python, element by element, one after the other."""
    switches = [m for m in run.marks(s.DATA_DEBUG) if m.attrs.get("on") and m.attrs.get("site")]
    slow = [p for p in pipelines(run) if calls_in(run, p)] if switches else []
    lost = sum(p.waits + sum(one.first_wait_ns for one in p.passes) / 1e9 for p in slow)
    if lost >= 1.0:
        claims = tuple(interval for p in slow for interval in p.claims)
        yield _draft(
            tuple(switches[0].attrs["site"]), "tf.data's debug mode made the data pipelines", lost, claims
        )


def _eager_models(run: Analysis) -> list[tuple[str, int, str]]:
    """Where models were switched to eager, first to last: in `compile`, or by the attribute after it."""
    compiled = [(c.start_ns, c.site) for c in run.spans(s.COMPILE) if c.attrs.get("eager") and c.site]
    marks = [(m.at_ns, m.attrs["site"]) for m in run.marks(s.EAGER_MODEL) if m.attrs.get("site")]
    return [(str(f), int(n), str(name)) for _, (f, n, name) in sorted([*compiled, *marks])]


def _draft(site: tuple[str, int, str], what: str, lost: float, claims: tuple[tuple[int, int], ...]) -> Draft:
    return Draft(
        title=f"{what} run operation by operation: {secs(lost)}",
        file=site[0],
        line=site[1],
        seconds=lost,
        confidence="high",
        advice="Remove the switch, or set it from a --debug option: it is made for stepping through code.",
        claims=claims,
    )


def check(source: Source) -> Iterable[Problem]:
    for call in source.calls:
        if source.called(call) in _SWITCHES:
            on = not call.args or (isinstance(call.args[0], ast.Constant) and call.args[0].value is True)
            if on and not _guarded(source, call):
                yield source.problem(
                    call, "every tf.function runs eagerly from here on", _without(source, call)
                )
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "compile" and source.uses_tensorflow:
            for keyword in call.keywords:
                if (
                    keyword.arg == "run_eagerly"
                    and isinstance(keyword.value, ast.Constant)
                    and keyword.value.value is True
                ):
                    yield Problem(
                        keyword.value.lineno,
                        keyword.value.col_offset + 1,
                        "this model runs eagerly, operation by operation",
                        _without_keyword(source, call, keyword),
                    )


def _guarded(source: Source, call: ast.Call) -> bool:
    return any(isinstance(above, (ast.If, ast.IfExp)) for above in source.ancestors(call))


def _without(source: Source, call: ast.Call) -> tuple[Edit, ...]:
    """Remove the whole line, when the call is alone on it and its block does not become empty."""
    statement = source.parents.get(call)
    block = source.parents.get(statement) if statement is not None else None
    if not isinstance(statement, ast.Expr) or statement.lineno != statement.end_lineno or block is None:
        return ()
    if len(getattr(block, "body", [])) < 2 or source.lines[statement.lineno - 1].strip() != source.segment(
        statement
    ):
        return ()
    return (Edit(source.offset(statement.lineno, 0), source.offset(statement.lineno + 1, 0), ""),)


def _without_keyword(source: Source, call: ast.Call, keyword: ast.keyword) -> tuple[Edit, ...]:
    parts: list[ast.expr | ast.keyword] = sorted(
        [*call.args, *call.keywords], key=lambda n: (n.lineno, n.col_offset)
    )
    position = parts.index(keyword)
    start = source.offset(keyword.lineno, keyword.col_offset)
    end = source.end(keyword.value)
    if position > 0:
        before = parts[position - 1]
        taken = source.end(before.value if isinstance(before, ast.keyword) else before), end
        between = source.text[taken[0] : start]
    else:
        taken = start, source.offset(parts[1].lineno, parts[1].col_offset) if len(parts) > 1 else end
        between = source.text[end : taken[1]]
    if len(parts) > 1 and not between.strip(", \t\r\n\\"):
        return (Edit(*taken, ""),)
    # A comment or a bracket beside it stays: take the argument with its own comma, and its line if it has one.
    comma = re.compile(r"[ \t]*,[ \t]*").match(source.text, end)
    end = comma.end() if comma else end
    line, below = source.offset(keyword.lineno, 0), source.offset(keyword.lineno + 1, 0)
    if not source.text[line:start].strip() and not source.text[end:below].strip():
        start, end = line, below
    return (Edit(start, end, ""),)


BAD = """\
import keras
import numpy as np

layers = [keras.layers.Dense(32, activation="relu") for _ in range(8)]
model = keras.Sequential([keras.Input((16,)), *layers, keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse", run_eagerly=True)
model.fit(np.ones((1280, 16), "float32"), np.ones((1280, 1), "float32"), batch_size=16, verbose=0)
"""

GOOD = """\
import keras
import numpy as np

layers = [keras.layers.Dense(32, activation="relu") for _ in range(8)]
model = keras.Sequential([keras.Input((16,)), *layers, keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(np.ones((1280, 16), "float32"), np.ones((1280, 1), "float32"), batch_size=16, verbose=0)
"""

RULE = Rule(
    code="HS313",
    slug="run-eagerly",
    doc=__doc__,
    symptoms=("run_eagerly=True is slow", "training slow after debugging", "run_functions_eagerly"),
    threshold=(
        "1 s that Python took in the eager steps: a short check with eager functions is what they are for."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="unsafe",
)
