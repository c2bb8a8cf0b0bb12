"""Data is turned into tensors the slow way.

## What it does
Finds large Python lists that are turned into tensors number by number (`from_tensor_slices`,
`tf.ragged.constant`, lists of arrays), arrays that change their type on the way
(`tf.constant(float64_array, tf.float32)`), and large arrays that are converted again in every turn of a
loop.

## Why it costs
`from_tensor_slices` walks nested lists in Python: 300,000 numbers took 0.5 s, as an array 0.001 s. A ragged
constant takes three microseconds a number. An array of 240 MB that is cast on the way took 1.4 s, as it is
0.2 s.

## Use instead
`np.asarray(values, dtype="float32")` once, as early as possible, and tensors from the array; for ragged
rows `tf.RaggedTensor.from_row_lengths(values, lengths)`.

## Fix safety
No automatic fix: a list's type is found by looking at it, an array's must be named.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.places import by_place
from ..evidence.spans import Inside, total_seconds
from ..evidence.words import secs, size, times
from ..rule import Rule

_WORTH_SECONDS = 0.5
_COPY_BYTES_PER_SECOND = 2e9
_SLOW_BYTES_PER_SECOND = 3e8
_CAST_BYTES_PER_SECOND = 1e9
"""What `astype` does, on one core."""
_AGAIN = 3


_LARGE = 50_000
"""Bytes: an index or a shape that happened to take a millisecond, on a busy machine, is no data."""


def _large(span: Span) -> bool:
    return int(span.attrs.get("bytes") or 0) >= _LARGE


def detect(run: Analysis) -> Iterable[Draft]:
    # What a library converts while it loads or builds is part of that.
    library = Inside(run.spans(s.LOAD, s.MODEL_BUILD, s.VARIABLE_INIT, s.OPTIMIZER_BUILD, s.TRACE))
    converted = [
        span
        for span in run.spans(s.CONVERT)
        if not span.attrs.get("graph") and library.at(span.start_ns) is None
    ]
    for (file, line), spans in by_place(converted).items():
        lists = [span for span in spans if span.name in ("list", "tuple") and _large(span)]
        spent, count = total_seconds(lists), sum(int(span.attrs.get("bytes") or 0) for span in lists)
        lost = spent - count / _COPY_BYTES_PER_SECOND
        if lost >= _WORTH_SECONDS and count < _SLOW_BYTES_PER_SECOND * spent:
            yield Draft(
                title=f"Python lists ({size(count)}) were turned into tensors {times(len(lists))}: {secs(spent)}",
                file=file,
                line=line,
                seconds=lost,
                confidence="high" if lost >= 1 else "medium",
                advice='Make an array of them once, np.asarray(values, dtype="float32"), as early as '
                "possible, and\n"
                "tensors from the array.",
                claims=tuple((span.start_ns, span.end_ns) for span in lists),
                details={"conversions": len(lists), "bytes": count},
            )
            continue
        arrays = [span for span in spans if span.name == "ndarray"]
        cast = [span for span in arrays if span.attrs.get("cast")]
        spent, count = total_seconds(cast), sum(int(span.attrs.get("bytes") or 0) for span in cast)
        lost = spent - count / _CAST_BYTES_PER_SECOND
        if lost >= _WORTH_SECONDS and count < _SLOW_BYTES_PER_SECOND * spent:
            yield Draft(
                title=f"arrays ({size(count)}) changed their type while they became tensors: {secs(spent)}",
                file=file,
                line=line,
                seconds=lost,
                confidence="medium",
                advice='Give the array its type first, array.astype("float32"), or make it in that type.',
                claims=tuple((span.start_ns, span.end_ns) for span in cast),
                details={"conversions": len(cast), "bytes": count},
            )
            continue
        again = arrays[1:]
        lost = total_seconds(again)
        same = {span.attrs.get("bytes") for span in arrays}
        if len(arrays) > _AGAIN and lost >= _WORTH_SECONDS and len(same) == 1:
            yield Draft(
                title=f"an array of {size(next(iter(same)) or 0)} was copied into a tensor "
                f"{times(len(arrays))}: {secs(lost)}",
                file=file,
                line=line,
                seconds=lost,
                confidence="medium" if lost >= 1 else "low",
                advice="Make the tensor once, before the loop, or slice the array before it is converted.",
                claims=tuple((span.start_ns, span.end_ns) for span in again),
                details={"conversions": len(arrays)},
            )


BAD = """\
import tensorflow as tf

table = [[float(i * j) for j in range(100)] for i in range(12_000)]
data = tf.data.Dataset.from_tensor_slices(table).batch(500)
total = tf.function(lambda x: tf.reduce_sum(x))
for batch in data:
    total(batch)
"""

GOOD = """\
import numpy as np
import tensorflow as tf

table = [[float(i * j) for j in range(100)] for i in range(12_000)]
array = np.asarray(table, dtype="float32")
data = tf.data.Dataset.from_tensor_slices(array).batch(500)
total = tf.function(lambda x: tf.reduce_sum(x))
for batch in data:
    total(batch)
"""

RULE = Rule(
    code="HS407",
    slug="slow-conversion",
    doc=__doc__,
    symptoms=(
        "convert_to_tensor is slow",
        "tf.constant of a list is slow",
        "from_tensor_slices of a list is slow",
    ),
    threshold=(
        "0.5 s at one line more than copying the same bytes needs: arrays convert at memory speed and are "
        "silent."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
