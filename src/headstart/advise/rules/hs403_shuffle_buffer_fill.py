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

from collections.abc import Iterable, Sequence

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.pipelines import Node, Pass, Pipeline, pipelines
from ..evidence.words import secs
from ..rule import Rule
from ..static.chains import written_pipelines
from ..static.files import costly_map
from ..static.source import Problem, Source

_WORTH_SECONDS = 1.0
_CHEAP = (
    "TensorSlice",
    "Range",
    "Tensor",
    "Shuffle",
    "Repeat",
    "Take",
    "Skip",
    "Options",
    "Cache",
    "Zip",
    "Shard",
)
_READERS = ("TFRecord", "TextLine", "FixedLengthRecord")
_OF_MANY = ("FlatMap", "Interleave", "ParallelInterleave")
"""As costly as the data sets that their function makes."""


def detect(run: Analysis) -> Iterable[Draft]:
    for pipeline in pipelines(run):
        shuffle = pipeline.find("Shuffle")
        if shuffle is None or shuffle.where is None:
            continue
        above = pipeline.chain[: pipeline.index("Shuffle")]
        if all(node.name in _CHEAP for node in above):
            continue  # records in memory fill a buffer in milliseconds
        size = shuffle.number("buffer")
        lost = sum(_lost(pipeline, one, size) for one in pipeline.passes)
        if lost < _WORTH_SECONDS:
            continue
        first = max(p.first_wait_ns for p in pipeline.passes) / 1e9
        raw = _raw_records(run, above)
        yield Draft(
            title=f"the first batch waited {secs(first)} until the shuffle buffer{_of(size)} was full",
            file=shuffle.where[0],
            line=shuffle.where[1],
            seconds=lost,
            # What is advised already: a buffer of that many may be meant, and a disk may be slow.
            confidence="low" if raw else "high" if lost >= 2 else "medium",
            advice="Keep the buffer smaller, and shuffle the names of the files as well."
            if raw
            else "Shuffle what is cheap (names, indices, raw records) before the costly map; keep a "
            "buffer behind it small.",
            claims=tuple((p.start_ns, p.start_ns + p.first_wait_ns) for p in pipeline.passes),
            details={"buffer": size, "first_wait_seconds": first, "passes": len(pipeline.passes)},
        )


def _raw_records(run: Analysis, above: Sequence[Node]) -> bool:
    """Nothing but records as they are in their files goes into the buffer."""
    made = {int(span.attrs["id"]): span.name for span in run.spans(s.DATASET) if "id" in span.attrs}

    def raw(name: str) -> bool:
        return name in _CHEAP or name.startswith(_READERS)

    for node in above:
        if node.name in _OF_MANY:
            # Numbered as they are made: its function's come after its input and before itself.
            number, inputs = node.number("id") or 0, node.attrs.get("inputs")
            last = max((i for i in inputs if i), default=0) if isinstance(inputs, list) else 0
            inner = [made[i] for i in range(last + 1, number) if i in made]
            if not inner or not all(raw(name) or name in _OF_MANY for name in inner):
                return False
        elif not raw(node.name):
            return False
    return True


def _of(size: int | None) -> str:
    return f" of {size:,}" if size else ""


def _lost(pipeline: Pipeline, one: Pass, size: int | None) -> float:
    """Filling prepared elements that were never used; and, of those that were, what steps could have hidden."""
    fill = one.first_wait_ns / 1e9
    batch = next((n for n in pipeline.chain if n.name in ("Batch", "ParallelBatch", "PaddedBatch")), None)
    per_step = (batch.number("batch") if batch is not None else 1) or 1
    used = one.steps * per_step
    unused = max(0.0, 1 - used / size) if size else 0.0
    computing = max(0.0, (one.ns - one.first_wait_ns - one.waits_ns) / 1e9)
    return max(fill * unused, min(fill, computing) * (1 - unused))


def check(source: Source) -> Iterable[Problem]:
    """A buffer of 500 or more behind a map that visibly reads or decodes."""
    for chain in written_pipelines(source):
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
        "buffer with cheap records is milliseconds. Raw records of files are told with low confidence."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
