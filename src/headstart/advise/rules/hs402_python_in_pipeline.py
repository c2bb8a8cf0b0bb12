"""The data pipeline calls Python for every element.

## What it does
Finds pipelines that are held up by Python: `from_generator` that yields single rows, `tf.py_function` and
`tf.numpy_function` in a `map`, a Keras `Sequence` or generator that is slow.

## Why it costs
Each element takes the interpreter's lock, is converted to tensors and crosses into the runtime: 100 to 300
microseconds, one after the other, however many cores there are. A batch of 100 rows costs 20 ms before
anything is computed.

## Use instead
`from_tensor_slices` for arrays in memory; yield whole batches from the generator and `unbatch` if need be;
write the mapped function with TensorFlow operations.

## Fix safety
No automatic fix: what the generator yields decides how to batch it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.pipelines import Pipeline, pipelines
from ..evidence.places import Place
from ..evidence.pycalls import PythonCalls, calls_in
from ..evidence.spans import within
from ..evidence.words import secs
from ..rule import Rule
from ..static.chains import Link, written_pipelines
from ..static.source import Problem, Source

_WORTH_SECONDS = 1.0
_SHARE = 0.25
"""The part of the waiting that Python itself must have been seen running."""
_BUSY = 0.6
"""The part of the whole loop in which Python ran: then it also held up the steps that it took the lock from."""


def detect(run: Analysis) -> Iterable[Draft]:
    for pipeline in pipelines(run):
        calls = calls_in(run, pipeline)
        python = sum(c.seconds for c in calls)
        waited = pipeline.waits + sum(p.first_wait_ns for p in pipeline.passes) / 1e9
        hidden = [p for p in pipeline.passes if p.keras]
        unseen = bool(hidden) and not any(p.looks for p in hidden)
        if python >= _BUSY * pipeline.seconds:
            # Where nobody could look into the pipeline (TensorFlow 2.16), Python was at it nearly all the time.
            waited = max(waited, python if unseen else min(python, _held_up(run, pipeline)))
        if waited < _WORTH_SECONDS or python < _SHARE * waited:
            continue
        worst = max(calls, key=lambda c: c.seconds)
        where = _line(run, pipeline, worst)
        if where is None:
            continue
        count = sum(c.calls for c in calls)
        yield Draft(
            title=f"the data pipeline called Python {count:,} times, {secs(waited / count)} of waiting "
            f"each: {secs(waited)}",
            file=where[0],
            line=where[1],
            seconds=waited,
            confidence="high" if python >= 0.4 * waited and not unseen else "medium",
            advice="Use from_tensor_slices, yield whole batches instead of rows, or write the map with "
            "TensorFlow operations.",
            claims=pipeline.claims,
            details={"calls": count, "python_seconds": round(python, 3), "function": worst.name},
        )


def _held_up(run: Analysis, pipeline: Pipeline) -> float:
    """What the steps took beyond the quick ones among them: those that found their batch ready and the lock free."""
    seconds = [
        span.seconds
        for one in pipeline.passes
        for span in within(run.spans(s.BATCH), max(one.start_ns, one.steady_ns), one.end_ns)
    ]
    if not seconds:
        return 0.0
    return sum(seconds) - len(seconds) * sorted(seconds)[len(seconds) // 10]


def _line(run: Analysis, pipeline: Pipeline, calls: PythonCalls) -> Place | None:
    """The `py_function` itself where its line is known, else where the generator or the map was added."""
    for trace in run.spans(s.TRACE):
        python = trace.attrs.get("python")
        if not python or not trace.site or (trace.site[0], trace.site[1]) != calls.site:
            continue
        if not trace.name.startswith(("Dataset_flat_map_flat_map_fn", "Dataset_from_generator")):
            return python[0][0], python[0][1]
    return calls.site


def check(source: Source) -> Iterable[Problem]:
    """A generator that only walks over arrays in memory, row by row, and is batched afterwards."""
    for chain in written_pipelines(source):
        first = chain[0]
        batched = "batch" in [link.method for link in chain[1:4]]
        if first.method == "from_generator" and batched and _walks_rows(source, first):
            yield Problem(
                first.line, 1, "yields rows of arrays one by one: from_tensor_slices does it without Python"
            )


def _walks_rows(source: Source, link: Link) -> bool:
    given = link.argument(0, "generator")
    functions = source.functions.get(given.id, []) if isinstance(given, ast.Name) else []
    if len(functions) != 1:
        return False
    body = [
        s for s in functions[0].body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    ]
    if len(body) != 1 or not isinstance(body[0], ast.For):
        return False
    loop = body[0]
    if isinstance(loop.iter, ast.Call):
        zipped = isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "zip"
        if not zipped or not all(isinstance(a, ast.Name) for a in loop.iter.args):
            return False
    elif not isinstance(loop.iter, ast.Name):
        return False
    # One statement that yields the row's parts as they are: nothing is computed in Python.
    statement = loop.body[0] if len(loop.body) == 1 else None
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Yield):
        return False
    return not any(isinstance(node, (ast.Call, ast.BinOp)) for node in ast.walk(statement))


BAD = """\
import numpy as np
import tensorflow as tf

rows = np.random.default_rng(0).normal(size=(24_000, 10)).astype("float32")


def stream():
    for row in rows:
        yield row


data = tf.data.Dataset.from_generator(stream, output_signature=tf.TensorSpec((10,), tf.float32))
data = data.batch(100).prefetch(2)
total = tf.function(lambda x: tf.reduce_sum(x * x))
for batch in data:
    total(batch)
"""

GOOD = """\
import numpy as np
import tensorflow as tf

rows = np.random.default_rng(0).normal(size=(24_000, 10)).astype("float32")


data = tf.data.Dataset.from_tensor_slices(rows)
data = data.batch(100).prefetch(2)
total = tf.function(lambda x: tf.reduce_sum(x * x))
for batch in data:
    total(batch)
"""

RULE = Rule(
    code="HS402",
    slug="python-in-pipeline",
    doc=__doc__,
    symptoms=("from_generator is slow", "py_function slows down tf.data", "numpy_function bottleneck"),
    threshold=(
        "1 s in which the steps waited for Python in the pipeline: Python that keeps up with the steps "
        "(whole batches, or hidden behind a prefetch) costs nothing."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
