"""A tensor gets longer with every step.

## What it does
Finds a line that appends to a tensor again and again: `x = tf.concat([x, new], 0)` in a loop, a history
that is stacked anew each time.

## Why it costs
Each append copies all that came before: n appends copy n²/2 elements. Where the tensor then goes into a
compiled function, every length is a new shape as well.

## Use instead
Collect the pieces in a list and concatenate once, after the loop; or write into a `tf.TensorArray`, or into
a `tf.Variable` of the final size.

## Fix safety
No automatic fix: code in the loop may use what has been collected so far.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import pairwise

from ...analyse.growth import rise_seconds
from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.words import secs, size
from ..rule import Rule
from ..static.functions import traced
from ..static.source import Problem, Source

_APPENDS = 20
_LONGER = 4
_LIST_APPEND_SECONDS = 0.0001
"""What collecting a piece and joining it once takes instead, a piece."""


def detect(run: Analysis) -> Iterable[Draft]:
    last = {tuple(mark.attrs["site"]): mark.attrs for mark in run.marks(s.CONCAT) if mark.attrs.get("site")}
    for (file, line, _), seen in last.items():
        count, grew = int(seen["count"]), int(seen["grew"])
        if count < _APPENDS or grew < 0.8 * (count - 1) or seen["last"] < _LONGER * max(1, seen["first"]):
            continue
        appending = int(seen["ns"]) / 1e9 - _LIST_APPEND_SECONDS * count
        # Whatever works on the tensor gets slower with it; and letting go of the old one, which is in no call.
        stretch = int(seen["first_ns"]), int(seen["last_ns"])
        steps = [step for step in run.steps.intervals_ns if stretch[0] <= step[0] <= stretch[1]]
        turns = [later - earlier for (earlier, _), (later, _) in pairwise(steps)]
        letting_go = min(appending, rise_seconds(turns) - appending)
        lost = appending + max(0.0, rise_seconds([b - a for a, b in steps]), letting_go)
        if lost < 0.5:
            continue
        yield Draft(
            title=f"a tensor was appended to {count:,} times, from {size(seen['first'])} to "
            f"{size(seen['last'])}: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high" if lost >= 1 else "medium",
            advice="Collect the pieces in a list and join them once, after the loop; or write into a "
            "tf.TensorArray.",
            claims=(stretch,),
            details={"appends": count, "bytes": seen["last"]},
        )


def check(source: Source) -> Iterable[Problem]:
    """`x = tf.concat([x, …], …)` in a Python loop that runs eagerly."""
    for node in source.nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or len(node.targets) != 1:
            continue
        target, call = node.targets[0], node.value
        if source.called(call) not in ("tensorflow.concat", "keras.ops.concatenate") or not call.args:
            continue
        if not isinstance(target, ast.Name) or not source.loops(node) or traced(source, node):
            continue
        parts = call.args[0]
        if (
            isinstance(parts, (ast.List, ast.Tuple))
            and any(isinstance(part, ast.Name) and part.id == target.id for part in parts.elts)
            and not _reset(source, node, target.id)
        ):
            yield source.problem(node, f"{target.id} is copied in every turn of the loop to append to it")


def _reset(source: Source, node: ast.Assign, name: str) -> bool:
    """Cut back in the same loop (a window over the last elements), it does not grow."""
    for loop in source.loops(node)[:1]:
        for other in ast.walk(loop):
            if (
                isinstance(other, ast.Assign)
                and other is not node
                and any(isinstance(t, ast.Name) and t.id == name for t in other.targets)
            ):
                return True
    return False


BAD = """\
import tensorflow as tf

history = tf.zeros((0, 1000))
for i in range(6000):
    history = tf.concat([history, tf.ones((1, 1000))], 0)
print(float(tf.reduce_sum(history)))
"""

GOOD = """\
import tensorflow as tf

pieces = []
for i in range(6000):
    pieces.append(tf.ones((1, 1000)))
history = tf.concat(pieces, 0)
print(float(tf.reduce_sum(history)))
"""

RULE = Rule(
    code="HS504",
    slug="growing-tensor",
    doc=__doc__,
    symptoms=("tf.concat in a loop gets slower", "appending to a tensor is slow"),
    threshold=(
        "20 appends at one line, each longer than the last, and 0.5 s more than appending to a list: a "
        "few joined pieces, or a window of fixed length, are silent."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
