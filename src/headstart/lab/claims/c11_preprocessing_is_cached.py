"""Preprocessing is paid in the first epoch and cached in later ones.

## What is measured
Three passes over a `tf.data` pipeline with a costly `map`, with and without `.cache()` after it: the first pass
over the later ones.

## What happens
`tf.data` keeps nothing by itself: without `.cache()` every epoch preprocesses everything anew, at the same
price. With `.cache()` the first pass fills the cache and later ones read it.

## What headstart does
HS404 finds preprocessing that is done again in every epoch, HS408 a cache that is never filled because the
pipeline is not read to its end.
"""

from __future__ import annotations

from ...analyse.stats import median
from ..claim import Arm, Claim, Contrast, Examples, Quantity, Twin
from ..programs import program
from ..quantities import computed, phases

PASSES = """\
import time
import tensorflow as tf
from headstart.lab.arm import clock, laps, note


def preprocess(image):
    for _ in range(8):
        image = tf.linalg.matmul(image, image) * 0.01
    return tf.reduce_mean(image, axis=0)


data = tf.data.Dataset.range(60).map(lambda i: preprocess(tf.fill((320, 320), tf.cast(i, tf.float32) / 60)))
if $cache:
    data = data.cache()


def one_pass():
    for row in data:
        pass


passes = laps(one_pass, 2)
# The first iterator of a process takes long to be freed, which happens between the lines of the program.
with clock("last_pass"):
    passes += laps(one_pass, 1)
note(passes=passes)
"""


def _side(arm: str, first: bool) -> Quantity:
    label = "the first pass" if first else "a later pass"
    return computed(arm, f"{label} {arm}", lambda n: n["passes"][0] if first else median(n["passes"][1:]))


CLAIM = Claim(
    id="C11",
    slug="preprocessing-is-cached",
    doc=__doc__,
    documents=("001",),
    rule="when",
    arms=(
        Arm(name="with cache()", program=program(PASSES, cache=True)),
        Arm(name="without cache()", program=program(PASSES, cache=False)),
    ),
    contrasts=(
        Contrast(
            slow=_side("with cache()", True),
            fast=_side("with cache()", False),
            holds_from=3,
            fails_below=2,
            when="the pipeline has a `.cache()`",
        ),
        Contrast(
            slow=_side("without cache()", True),
            fast=_side("without cache()", False),
            holds_from=3,
            fails_below=2,
            when="it has none",
        ),
    ),
    twin=Twin(
        "without cache()",
        "the third pass over the pipeline",
        "last_pass",
        phases("data-warmup", "data-wait", "steady-steps", "first-step", "eager-ops", "tracing"),
    ),
    remedy=Contrast(
        slow=computed("without cache()", "a later epoch as found", lambda n: median(n["passes"][1:])),
        fast=computed("with cache()", "with `.cache()`, as HS404 advises", lambda n: median(n["passes"][1:])),
        holds_from=3,
        fails_below=2,
    ),
    examples=Examples(
        holds={"with cache()": {"passes": [1.0, 0.1, 0.1]}, "without cache()": {"passes": [1.0, 0.1, 0.1]}},
        fails={"with cache()": {"passes": [1.0, 1.0, 1.0]}, "without cache()": {"passes": [1.0, 1.0, 1.0]}},
        partly={"with cache()": {"passes": [1.0, 0.1, 0.1]}, "without cache()": {"passes": [1.0, 0.9, 1.0]}},
    ),
)
