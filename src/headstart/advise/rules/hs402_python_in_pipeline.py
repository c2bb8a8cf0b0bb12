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
from ..draft import Draft
from ..rule import Rule
from ..static.chains import Link, pipelines
from ..static.source import Problem, Source


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


def check(source: Source) -> Iterable[Problem]:
    """A generator that only walks over arrays in memory, row by row, and is batched afterwards."""
    for chain in pipelines(source):
        first = chain[0]
        if first.method == "from_generator" and "batch" in [link.method for link in chain[1:4]]:
            if _walks_rows(source, first):
                yield Problem(
                    first.line,
                    1,
                    "yields rows of arrays one by one: from_tensor_slices does it without Python",
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

rows = np.random.default_rng(0).normal(size=(8000, 10)).astype("float32")


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

rows = np.random.default_rng(0).normal(size=(8000, 10)).astype("float32")


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
