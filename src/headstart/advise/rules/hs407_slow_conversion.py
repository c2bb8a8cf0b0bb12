"""Python lists are turned into tensors element by element.

## What it does
Finds conversions of large lists, lists of lists or lists of arrays into tensors (by `tf.constant`,
`convert_to_tensor`, `from_tensor_slices`, or by passing a list to a compiled function or to `fit`).

## Why it costs
A list of Python numbers is walked one object at a time, to find its type, its shape and its values: a
million numbers take about 0.1 s as a list and 0.001 s as an array. A list of tensors is packed with an
operation for each.

## Use instead
`np.asarray(values, dtype="float32")` once, as early as possible, and tensors from the array.

## Fix safety
No automatic fix: a list's type is found by looking at it, an array's must be named.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.places import by_place
from ..evidence.spans import total_seconds
from ..evidence.words import secs, size, times
from ..rule import Rule

_WORTH_SECONDS = 0.5
_COPY_BYTES_PER_SECOND = 2e9
_SLOW_BYTES_PER_SECOND = 3e8
_AGAIN = 3


def detect(run: Analysis) -> Iterable[Draft]:
    converted = [span for span in run.spans(s.CONVERT) if not span.attrs.get("graph")]
    for (file, line), spans in by_place(converted).items():
        lists = [span for span in spans if span.name in ("list", "tuple")]
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

table = [[float(i * j) for j in range(200)] for i in range(2000)]
total = tf.function(lambda x: tf.reduce_sum(x))
for step in range(30):
    total(tf.constant(table))
"""

GOOD = """\
import numpy as np
import tensorflow as tf

table = [[float(i * j) for j in range(200)] for i in range(2000)]
array = np.asarray(table, dtype="float32")
total = tf.function(lambda x: tf.reduce_sum(x))
for step in range(30):
    total(tf.constant(array))
"""

RULE = Rule(
    code="HS407",
    slug="slow-conversion",
    doc=__doc__,
    symptoms=(
        "convert_to_tensor is slow",
        "tf.constant of a list is slow",
        "from_tensor_slices takes forever",
    ),
    threshold=(
        "0.5 s at one line more than copying the same bytes needs: arrays convert at memory speed and are "
        "silent."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
