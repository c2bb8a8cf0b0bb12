"""Eager execution starts faster but runs slower.

## What is measured
The same training step (6 dense layers, SGD) run eagerly and as a `tf.function`, in processes of their own: the
first step, and the median of later steps.

## What happens
Both halves are right. An eager step needs no graph, so its result is there at once; every later step pays for
it with a trip through Python for each operation. After a few dozen steps the graph has caught up. (Eager
execution is what TensorFlow 2 does by itself; the document's `enable_eager_execution` is for TensorFlow 1.)

## What headstart does
HS309 finds an eager loop that runs long enough for a `tf.function` to pay, and HS313 one that was forced with
`run_eagerly`.
"""

from __future__ import annotations

from ..claim import Claim, Contrast, Examples, Twin
from ..quantities import middle, noted, phases
from .c08_tf_function_first_call_pays import EAGER, GRAPH

CLAIM = Claim(
    id="C34",
    slug="eager-starts-faster",
    doc=__doc__,
    documents=("004",),
    arms=(EAGER, GRAPH),
    contrasts=(
        Contrast(
            slow=noted("tf.function", "first", "the first step of the tf.function"),
            fast=noted("eager", "first", "the first eager step"),
            holds_from=1.6,
            fails_below=1.2,
        ),
        Contrast(
            slow=middle("eager", "steps", "a later eager step", skip=10),
            fast=middle("tf.function", "steps", "a later step of the tf.function", skip=10),
            holds_from=2,
            fails_below=1.4,
        ),
    ),
    twin=Twin(
        "eager",
        "the first eager step",
        "first",
        phases("first-step", "steady-steps", "eager-ops", "optimizer-setup", "variable-init", "user-code"),
    ),
    examples=Examples(
        holds={
            "eager": {"first": 0.05, "steps": [0.02] * 40},
            "tf.function": {"first": 0.5, "steps": [0.001] * 40},
        },
        fails={
            "eager": {"first": 0.5, "steps": [0.001] * 40},
            "tf.function": {"first": 0.5, "steps": [0.001] * 40},
        },
    ),
)
