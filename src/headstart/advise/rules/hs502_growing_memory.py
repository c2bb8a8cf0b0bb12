"""Memory grows with every step, because results are kept.

## What it does
Finds programs whose memory grows steadily from step to step, names the container that holds it (a list of
predictions, losses that are tensors, a history) and the line that adds to it.

## Why it costs
Each tensor that a list refers to stays in memory, with everything that it needs. Runs die after hours, when
the machine is out of memory, or get slower when it begins to swap.

## Use instead
Keep what is needed and no more: a number (`float(loss)`), a class index, a running mean
(`tf.keras.metrics.Mean`); write large results to a file as they come.

## Fix safety
No automatic fix: what will be needed later is not in the line.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.growth import memory_growth
from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Mark
from ..draft import Draft
from ..evidence.adding import is_cut_back, is_joined, line_that_adds
from ..evidence.words import size
from ..rule import Rule

_WORTH_BYTES = 200_000_000
_SHARE = 0.4
_SECONDS_A_BYTE = 1.5e-6 / 4096
"""Memory that is let go is used again; kept, the system must hand out new pages: 0.9 to 2.1 µs each, measured on runs
that kept 1.5 GB beside runs that did not."""


def detect(run: Analysis) -> Iterable[Draft]:
    total, rising = memory_growth(run)
    holders = [m for m in run.marks(s.HOLDER) if m.attrs["bytes"] >= _SHARE * m.attrs["grown"]]
    if total < _WORTH_BYTES or not (rising or holders):
        return
    intervals = run.steps.intervals_ns
    per_step = total / max(1, len(intervals))
    claims = ((intervals[0][0], intervals[-1][1]),)
    if not holders:
        site = run.steps.site
        if site is not None and rising:
            yield _draft(site[0], site[1], total, per_step, None, claims)
        return
    # The last look saw most of it.
    worst = max(holders, key=lambda mark: (mark.at_ns // 10**9, mark.attrs["bytes"]))
    file, line = line_that_adds(worst.attrs["site"], worst.name)
    where = (worst.attrs["site"], worst.name)
    meant = bool(worst.attrs.get("most")) or is_cut_back(*where) or is_joined(*where)
    yield _draft(file, line, max(total, worst.attrs["bytes"]), per_step, worst, claims, meant)


def _draft(
    file: str,
    line: int,
    total: int,
    per_step: float,
    holder: Mark | None,
    claims: tuple[tuple[int, int], ...],
    meant: bool = False,
) -> Draft:
    if holder is None:
        title = (
            f"memory grew by {size(total)} over the steps, {size(per_step)} each; what holds it was not found"
        )
        advice = "Look for lists, dictionaries or caches that keep tensors or arrays from step to step."
    else:
        what = f"{holder.name} (a {holder.attrs['type']} of {holder.attrs['items']})"
        title = f"memory grew by {size(total)} over the steps, {size(per_step)} each: it is kept in {what}"
        advice = f"Put into {holder.name} only what is needed later: float(loss), an index, a running mean."
    return Draft(
        title=title,
        file=file,
        line=line,
        seconds=total * _SECONDS_A_BYTE,
        # A buffer that fills up to its bound, or parts of an array, are as large as they are meant to be.
        confidence="low" if holder is None or meant else "high",
        advice=advice,
        claims=claims,
        bytes=total,
        details={"bytes_per_step": per_step, "holder": holder.name if holder else None},
    )


BAD = """\
import tensorflow as tf

infer = tf.function(lambda x: tf.nn.softmax(x))
kept = []
for i in range(200):
    image = tf.random.uniform((8, 128, 128, 8))
    kept.append(infer(image))
print(len(kept))
"""

GOOD = """\
import tensorflow as tf

infer = tf.function(lambda x: tf.nn.softmax(x))
kept = []
for i in range(200):
    image = tf.random.uniform((8, 128, 128, 8))
    kept.append(float(tf.reduce_mean(infer(image))))
print(len(kept))
"""

RULE = Rule(
    code="HS502",
    slug="growing-memory",
    doc=__doc__,
    symptoms=("memory leak during training", "RAM grows every epoch", "OOM after many steps"),
    threshold=(
        "200 MB more at the end than after the first steps, growing with them, and a container that holds "
        "at least half of it: allocators keep some freed memory, and that is not growth. A container with a bound "
        "(a deque with maxlen, one that is cut back), or whose content becomes one array that is kept, is told with low "
        "confidence."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
