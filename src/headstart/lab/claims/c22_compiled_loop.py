"""The `tf.function` version of that loop runs and is much faster.

## What is measured
Document 003's third example as it is written; the same without its `.numpy()`, which a graph does not have,
first call and second call; and with `tf.range` in place of `range`. Each against the document's first example,
run eagerly. A program that fails counts as infinitely slow.

## What happens
As written it does not run: inside a `tf.function` a tensor has no `.numpy()`. Repaired, the first call is
*slower* than the eager loop: `range` is a Python loop, so tracing unrolls it into thousands of operations,
which must all be built and optimised; a printing Python function prints once, while tracing. Only the second
call is fast. With `tf.range` the loop stays a loop: nothing is unrolled, and the first call too is fast.

## What headstart does
HS307 finds a Python loop that was unrolled into the graph, with its line and the number of nodes it became.
"""

from __future__ import annotations

from ...analyse.stats import median
from ..claim import Arm, Claim, Contrast, Examples, Quantity, Twin
from ..quantities import computed, noted, phases

LOOPS = """\
import tensorflow as tf
from headstart.lab.arm import clock, laps, note


def dynamic_graph_loop(iterations):
  x = tf.constant(1.0)
  for i in range(iterations):
    x = x * 2.0
    print(tf.reduce_sum(x).numpy())
  return x


@tf.function
def compiled_graph_loop(iterations):
    x = tf.constant(1.0)
    for i in range(iterations):
        x = x * 2.0
        print(tf.reduce_sum(x).numpy())
    return x


@tf.function
def repaired(iterations):
    x = tf.constant(1.0)
    for i in range(iterations):
        x = x * 2.0
        print(tf.reduce_sum(x))
    return x


@tf.function
def with_tf_range(iterations):
    x = tf.constant(1.0)
    for i in tf.range(iterations):
        x = x * 2.0
        tf.print(tf.reduce_sum(x))
    return x


dynamic_graph_loop(100)
note(eager=laps(lambda: dynamic_graph_loop(1000), 5))
try:
    with clock("as_written"):
        compiled_graph_loop(1000)
except Exception as error:
    note(as_written=None, error=f"{type(error).__name__}: {error}"[:200])
with clock("repaired_first"):
    repaired(1000)
note(repaired_later=laps(lambda: repaired(1000), 3))
with clock("tf_range_first"):
    with_tf_range(tf.constant(1000))
note(tf_range_later=laps(lambda: with_tf_range(tf.constant(1000)), 3))
"""

_EAGER: Quantity = computed("loops", "the eager loop", lambda n: median(n["eager"]))


def _made_up(as_written: float | None, first: float, later: float, tf_range: float) -> dict[str, object]:
    return {
        "eager": [0.1] * 5,
        "as_written": as_written,
        "repaired_first": first,
        "repaired_later": [later] * 3,
        "tf_range_first": tf_range,
        "tf_range_later": [tf_range] * 3,
    }


CLAIM = Claim(
    id="C22",
    slug="compiled-loop",
    doc=__doc__,
    documents=("003",),
    rule="when",
    arms=(Arm(name="loops", program=LOOPS),),
    contrasts=(
        Contrast(
            slow=_EAGER,
            fast=noted("loops", "as_written", "the example as written"),
            holds_from=1.5,
            fails_below=1.1,
            when="it is run as written",
        ),
        Contrast(
            slow=_EAGER,
            fast=noted("loops", "repaired_first", "its first call without `.numpy()`"),
            holds_from=1.5,
            fails_below=1.1,
            when="its `.numpy()` is taken out and its first call counts",
        ),
        Contrast(
            slow=_EAGER,
            fast=computed("loops", "its later calls", lambda n: median(n["repaired_later"])),
            holds_from=1.5,
            fails_below=1.1,
            when="its `.numpy()` is taken out and only later calls count",
        ),
    ),
    twin=Twin(
        "loops",
        "the first call of the repaired example",
        "repaired_first",
        phases("tracing", "graph-optimization", "first-step", "steady-steps"),
    ),
    remedy=Contrast(
        slow=noted("loops", "repaired_first", "the first call with `range`"),
        fast=noted("loops", "tf_range_first", "with `tf.range`, as HS307 advises"),
        holds_from=1.5,
        fails_below=1.1,
    ),
    examples=Examples(
        holds={"loops": _made_up(0.01, 0.01, 0.01, 0.01)},
        fails={"loops": _made_up(None, 2.0, 0.2, 0.2)},
        partly={"loops": _made_up(None, 2.0, 0.01, 0.05)},
    ),
)
