"""In eager execution the graph grows with each iteration, so each iteration gets slower.

## What is measured
Document 003's first example with 10,000 iterations in place of 1,000: the median time of an iteration in the
last fifth over that in the first fifth (after 100 iterations of warm-up).

## What happens
Nothing grows. Eager execution has no graph: each multiplication runs, returns a tensor and is forgotten, and
the old tensor's memory is freed when `x` is bound anew. Iteration 10,000 takes what iteration 100 took.

## What headstart does
`headstart profile` tests the trend of step times on every run, and says "growing" only where it is; HS501 to
HS506 name the things that really grow.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import early_and_late, phases

LOOP = """\
import time
import tensorflow as tf
from headstart.lab.arm import clock, note

times = []


def dynamic_graph_loop(iterations):
  x = tf.constant(1.0)
  for i in range(iterations):
    start = time.perf_counter()
    x = x * 2.0  # Adding a new multiplication op each iteration
    print(tf.reduce_sum(x).numpy())
    times.append(time.perf_counter() - start)
  return x


with clock("loop"):
  result = dynamic_graph_loop(10000)
note(iterations=times)
"""

_EARLY, _LATE = early_and_late("loop", "iterations", "an iteration", skip=100)

CLAIM = Claim(
    id="C20",
    slug="eager-loop-slows-down",
    doc=__doc__,
    documents=("003",),
    arms=(Arm(name="loop", program=LOOP),),
    contrasts=(Contrast(slow=_LATE, fast=_EARLY, holds_from=1.6, fails_below=1.3),),
    twin=Twin(
        "loop",
        "the 10,000 iterations",
        "loop",
        phases("eager-ops", "steady-steps", "first-step", "user-code"),
    ),
    examples=Examples(
        holds={"loop": {"iterations": [0.0001 * (1 + i / 100) for i in range(1000)]}},
        fails={"loop": {"iterations": [0.0001] * 1000}},
    ),
)
