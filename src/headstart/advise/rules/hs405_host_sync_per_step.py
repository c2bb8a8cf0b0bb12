"""Values are fetched from tensors one by one, in every step.

## What it does
Finds lines that read many tensor values into Python in each step: `.numpy()`, `float(...)`, `int(...)`,
`print(tensor)`, or iterating over a tensor.

## Why it costs
Each read waits until the value is computed, so that the next step cannot be prepared meanwhile, and each
takes ten microseconds or more in Python; sixty-four of them a step outweigh a small step.

## Use instead
Keep values as tensors, reduce them there, and fetch the result once in a while: a `tf.keras.metrics.Mean`,
or one `.numpy()` of the whole batch; print every hundred steps.

## Fix safety
No automatic fix: what the values are needed for is not in the line.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.eager import elsewhere
from ..evidence.places import loops_at
from ..evidence.samples import samples
from ..evidence.words import secs
from ..rule import Rule

_WORTH_SECONDS = 1.0
_READS = 200
_READS_A_STEP = 4
"""One `float(loss)` a step, or a line that prints three metrics, is what healthy loops do."""
_EACH_SECONDS = 0.0005
"""Picking one value out of a tensor and reading it takes a tenth of this; the rest of the line is its own work."""
_EACH_NS = 5_000_000
"""A read that takes longer waits for computing, which no other way of reading would save."""


def detect(run: Analysis) -> Iterable[Draft]:
    last = {
        tuple(mark.attrs["site"]): mark.attrs for mark in run.marks(s.HOST_SYNC) if mark.attrs.get("site")
    }
    if not last:
        return
    outside = elsewhere(run, s.CONVERT)
    steps = max(1, sum(run.steps.per_interval))
    for (file, line, _), totals in last.items():
        count = int(totals["count"])
        if count < max(_READS, _READS_A_STEP * steps) or totals["ns"] / count > _EACH_NS:
            continue
        # Picking the value out of the tensor is part of it: the eager time of the line, and of a loop that does
        # nothing else.
        lines = _with_its_loop(run, file, line)
        lost = min(sum(samples(run).at_line(file, n, outside) for n in lines), _EACH_SECONDS * count)
        lost = max(lost, totals["ns"] / 1e9)
        if lost < _WORTH_SECONDS:
            continue
        each = f"{count / steps:.0f} a step" if steps > 1 else f"{secs(lost / count)} each"
        yield Draft(
            title=f"{count:,} values were read from tensors one by one at this line, {each}: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high" if count >= 2 * _READS_A_STEP * steps else "medium",
            advice="Reduce on tensors (tf.keras.metrics.Mean) or fetch the batch with one .numpy(); "
            "print every hundred steps.",
            claims=((int(totals["first_ns"]), int(totals["last_ns"])),),
            details={"reads": count, "read_seconds": totals["ns"] / 1e9},
        )


def _with_its_loop(run: Analysis, file: str, line: int) -> list[int]:
    """The line, and those of the innermost loop around it that runs no step itself."""
    loops = loops_at(file, line)
    if not loops:
        return [line]
    inner = loops[0]
    span = range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)
    steps = {c.site[1] for c in run.spans(s.CALL, s.FIT, s.MODEL_CALL) if c.site and c.site[0] == file}
    return [line] if steps & set(span) else list(span)


BAD = """\
import tensorflow as tf

score = tf.function(lambda x: tf.nn.softmax(tf.matmul(x, tf.transpose(x))))
hits = 0
for step in range(300):
    result = score(tf.random.normal((96, 8)))
    for i in range(96):
        hits += float(result[i, i]) > 0.5
print(hits)
"""

GOOD = """\
import tensorflow as tf


@tf.function
def score(x):
    result = tf.nn.softmax(tf.matmul(x, tf.transpose(x)))
    return tf.reduce_sum(tf.cast(tf.linalg.diag_part(result) > 0.5, tf.int32))


hits = tf.constant(0)
for step in range(300):
    hits += score(tf.random.normal((96, 8)))
print(int(hits))
"""

RULE = Rule(
    code="HS405",
    slug="host-sync-per-step",
    doc=__doc__,
    symptoms=(
        "calling .numpy() every step is slow",
        "float(loss) slows training",
        "printing the loss is slow",
    ),
    threshold=(
        "1 s at one line that reads at least four values a step, counted at half a millisecond each at the "
        "most: one `float(loss)` or a few printed metrics a step cost next to nothing, and are silent."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
