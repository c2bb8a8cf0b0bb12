"""The first batch waits until a shuffle buffer is full of prepared elements.

## What it does
Finds a `shuffle` with a large buffer behind costly work, so that the first batch comes only after hundreds
or thousands of elements were read and decoded.

## Why it costs
`shuffle(n)` hands out its first element when it holds n. Behind a `map` that decodes images, the program
decodes n images, and keeps them in memory, before its first step; and again at each start.

## Use instead
Shuffle what is cheap (file names, indices, raw records) before the costly `map`, and keep a buffer behind
it small.

## Fix safety
No automatic fix: where the order of random operations matters, the elements change.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule
from ..static.chains import pipelines
from ..static.files import costly_map
from ..static.source import Problem, Source


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


def check(source: Source) -> Iterable[Problem]:
    """A buffer of 500 or more behind a map that visibly reads or decodes."""
    for chain in pipelines(source):
        costly = False
        for link in chain:
            if link.method in ("cache", "batch", "padded_batch"):
                costly = False
            elif link.method == "map":
                costly = costly or costly_map(source, link)
            elif link.method == "shuffle" and costly:
                size = link.argument(0, "buffer_size")
                number = source.integer(size) if size is not None else None
                if number is not None and number >= 500:
                    yield Problem(
                        link.line,
                        1,
                        f"the first batch waits for {number} decoded elements: shuffle before the map",
                    )


BAD = """\
import tensorflow as tf


def decode(i):
    image = tf.random.stateless_normal((256, 256, 3), seed=tf.stack([i, i]))
    return tf.reduce_mean(tf.image.resize(image, (64, 64)))


data = tf.data.Dataset.range(2000, output_type=tf.int32).map(decode, num_parallel_calls=2)
data = data.shuffle(2000).batch(8).prefetch(2)
double = tf.function(lambda x: x * 2.0)
for batch in data.take(20):
    double(batch)
"""

GOOD = """\
import tensorflow as tf


def decode(i):
    image = tf.random.stateless_normal((256, 256, 3), seed=tf.stack([i, i]))
    return tf.reduce_mean(tf.image.resize(image, (64, 64)))


data = tf.data.Dataset.range(2000, output_type=tf.int32).shuffle(2000)
data = data.map(decode, num_parallel_calls=2).batch(8).prefetch(2)
double = tf.function(lambda x: x * 2.0)
for batch in data.take(20):
    double(batch)
"""

RULE = Rule(
    code="HS403",
    slug="shuffle-buffer-fill",
    doc=__doc__,
    symptoms=(
        "Filling up shuffle buffer (this may take a while)",
        "first batch takes minutes",
        "shuffle is slow",
    ),
    threshold=(
        "1 s of waiting for the first batch beyond what its own elements need: the cost of filling a "
        "buffer with cheap records is milliseconds."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
