"""The same preprocessing is repeated in every epoch.

## What it does
Finds pipelines whose `map` does the same costly work for the same elements in every epoch, while the steps
wait for it, and which have no `cache`.

## Why it costs
Without `cache` every epoch reads, decodes and prepares all elements anew, although the result of a map
without random operations is the same each time.

## Use instead
`.cache()` behind the costly map and before `shuffle`, random augmentation and `batch`; `.cache(filename)`
when it does not fit in memory.

## Fix safety
No automatic fix: a cache of everything may not fit in memory.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.looking import share_of_first_maps
from ..evidence.pipelines import Node, Pipeline, pipelines
from ..evidence.places import Place, place
from ..evidence.words import secs, times
from ..rule import Rule

_WORTH_SECONDS = 1.0
_SHARE = 0.4
"""The part of the later passes that was waiting."""
_MAPS = ("Map", "ParallelMap", "FlatMap", "Interleave", "ParallelInterleave")


def detect(run: Analysis) -> Iterable[Draft]:
    # By line: what is traced there is TensorFlow's wrapper of the user's function.
    random = {place(trace) for trace in run.spans(s.TRACE) if trace.attrs.get("random")}
    for pipeline in pipelines(run):
        later = pipeline.passes[1:]
        waited = sum(p.waits_ns + p.first_wait_ns for p in later) / 1e9
        if waited < _WORTH_SECONDS or waited < _SHARE * sum(p.ns for p in later) / 1e9:
            continue
        if pipeline.index("Cache", "Snapshot") >= 0:
            continue
        costly, share = _repeated(pipeline, random)
        waited *= share
        if costly is None or costly.where is None or waited < _WORTH_SECONDS:
            continue
        yield Draft(
            title=f"the same preprocessing ran {times(len(pipeline.passes))}, and the steps waited "
            f"{secs(waited)} for it again",
            file=costly.where[0],
            line=costly.where[1],
            seconds=waited,
            confidence="medium",
            advice="Add .cache() behind this map, before shuffle and batch (.cache(filename) if it does "
            "not fit in memory).",
            claims=tuple(p.interval for p in later),
            details={"passes": len(pipeline.passes)},
        )


def _repeated(pipeline: Pipeline, random: set[Place | None]) -> tuple[Node | None, float]:
    """The last map that a cache could stand behind, and its and the earlier ones' part of the work.

    What draws random numbers is meant to differ, with all that follows; what comes before it is the same each time."""
    maps = [node for node in pipeline.chain if node.name in _MAPS]
    draws = [node.where is not None and node.where in random and "code" in node.attrs for node in maps]
    if not any(draws):
        return pipeline.find(*_MAPS), 1.0
    same = maps[: draws.index(True)]
    share = (
        share_of_first_maps([one.looks for one in pipeline.passes], len(same), len(maps)) if same else None
    )
    return (same[-1], share) if share is not None else (None, 0.0)


BAD = """\
import tensorflow as tf


def prepare(i):
    x = tf.cast(tf.fill((512, 512), i), tf.float32)
    return tf.reduce_mean(tf.matmul(x, x), axis=0) / 512.0


data = tf.data.Dataset.range(200, output_type=tf.int32)
data = data.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).batch(10).prefetch(tf.data.AUTOTUNE)
total = tf.function(lambda x: tf.reduce_sum(x))
for epoch in range(15):
    for batch in data:
        total(batch)
"""

GOOD = """\
import tensorflow as tf


def prepare(i):
    x = tf.cast(tf.fill((512, 512), i), tf.float32)
    return tf.reduce_mean(tf.matmul(x, x), axis=0) / 512.0


data = tf.data.Dataset.range(200, output_type=tf.int32)
data = data.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).cache().batch(10).prefetch(tf.data.AUTOTUNE)
total = tf.function(lambda x: tf.reduce_sum(x))
for epoch in range(15):
    for batch in data:
        total(batch)
"""

RULE = Rule(
    code="HS404",
    slug="uncached-preprocessing",
    doc=__doc__,
    symptoms=("every epoch is slow because of preprocessing", "tf.data map runs again each epoch"),
    threshold=(
        "1 s of waiting in the epochs after the first, behind a map without random operations: what the "
        "steps hide, and what differs from epoch to epoch, a cache cannot save."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
