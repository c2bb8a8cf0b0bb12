"""Creating the constants beforehand makes the eager loop notably faster.

## What is measured
Document 003's first and second examples (1,000 iterations each), timed as the document times them, in one
process and in mixed order, five times each: the medians.

## What happens
Both run the same 1,000 multiplications, one by one, through Python; the second also makes 1,000 constants,
which the first makes in passing when it turns `2.0` into a tensor. There is no graph that could be "built
once". What little difference there is goes as often one way as the other.

## What headstart does
HS309 finds the loop itself, which is what costs: a `tf.function` with `tf.range` runs it in a fraction of the
time.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import middle, phases

EXAMPLES_1_AND_2 = """\
import random
import tensorflow as tf
from headstart.lab.arm import clock, laps, note


def dynamic_graph_loop(iterations):
  x = tf.constant(1.0)
  for i in range(iterations):
    x = x * 2.0  # Adding a new multiplication op each iteration
    print(tf.reduce_sum(x).numpy())
  return x


def static_graph_loop(iterations):
  x = tf.constant(1.0)
  multiplications = []
  for _ in range(iterations):
    multiplications.append(tf.constant(2.0)) # store the constants
  for mult in multiplications:
    x = x * mult # reuse the ops with the pre generated constants
    print(tf.reduce_sum(x).numpy())
  return x


both = {"first": dynamic_graph_loop, "second": static_graph_loop}
seconds = {"first": [], "second": []}
for name in both:
  both[name](100)
with clock("all"):
  for name in random.sample(list(both) * 5, 10):
    seconds[name] += laps(lambda: both[name](1000), 1)
note(**seconds)
"""

CLAIM = Claim(
    id="C21",
    slug="constants-beforehand",
    doc=__doc__,
    documents=("003",),
    arms=(Arm(name="examples", program=EXAMPLES_1_AND_2),),
    contrasts=(
        Contrast(
            slow=middle("examples", "first", "the document's first example"),
            fast=middle("examples", "second", "its second example"),
            holds_from=1.5,
            fails_below=1.3,
        ),
    ),
    twin=Twin(
        "examples",
        "ten loops of 1,000 iterations",
        "all",
        phases("eager-ops", "steady-steps", "first-step", "user-code"),
    ),
    examples=Examples(
        holds={"examples": {"first": [0.2] * 5, "second": [0.1] * 5}},
        fails={"examples": {"first": [0.1] * 5, "second": [0.1] * 5}},
    ),
)
