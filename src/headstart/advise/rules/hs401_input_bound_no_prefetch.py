"""Steps wait for data that could have been prepared meanwhile.

## What it does
Finds loops whose steps wait for the next batch while nothing prepares it ahead. tf.data adds a prefetch by
itself unless its tuning or its default optimisations are switched off, so pipelines are looked at as they
run. A `map` with a `batch` right behind it becomes one transformation that works a batch ahead.

## Why it costs
Without it the pipeline prepares a batch only when it is asked for: the model waits for the data, then the
data waits for the model, and a step takes the sum of both instead of the longer.

## Use instead
`.prefetch(tf.data.AUTOTUNE)` as the last transformation.

## Fix safety
`--fix` appends it to pipelines that end in a `batch` or a `map` that works on demand, in files that switch
tf.data's tuning off. Safe: the same elements come in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.ahead import NO_WORK, computing_seconds, saved_by_prefetch
from ..evidence.pipelines import pipelines
from ..evidence.words import secs
from ..rule import Rule
from ..static.chains import Link, written_pipelines
from ..static.files import tuning_off
from ..static.source import Edit, Problem, Source

_WORTH_SECONDS = 0.5
_SHARE = 0.2


def detect(run: Analysis) -> Iterable[Draft]:
    for pipeline in pipelines(run):
        waited, computing = pipeline.waits, computing_seconds(run, pipeline)
        lost = saved_by_prefetch(run, pipeline)
        if lost < _WORTH_SECONDS or waited < _SHARE * pipeline.seconds:
            continue
        last = next((n for n in reversed(pipeline.chain) if n.where and n.name not in NO_WORK), None)
        if last is None or last.where is None:
            continue
        yield Draft(
            title=f"steps waited {secs(waited)} for data that nothing prepared ahead of them",
            file=last.where[0],
            line=last.where[1],
            seconds=lost,
            confidence="high" if lost >= 1 else "medium",
            advice="End the pipeline with .prefetch(tf.data.AUTOTUNE): the next batch is made while this "
            "one is computed.",
            claims=pipeline.claims,
            details={"waited_seconds": round(waited, 3), "computing_seconds": round(computing, 3)},
        )


def check(source: Source) -> Iterable[Problem]:
    """Only where the file switches tf.data's tuning off: else it adds a prefetch by itself."""
    if not tuning_off(source):
        return
    alias = next((n for n, target in source.imported.items() if target == "tensorflow"), None)
    for chain in written_pipelines(source):
        links = [link for link in chain if link.method != "with_options"]
        if "prefetch" in [link.method for link in links] or not _on_demand(links):
            continue
        call = links[-1].call
        edit = Edit(source.end(call), source.end(call), f".prefetch({alias}.data.AUTOTUNE)")
        yield Problem(
            links[-1].line,
            1,
            "with tuning off, batches are prepared only when the model asks for them",
            (edit,) if alias else (),
        )


def _on_demand(links: Sequence[Link]) -> bool:
    last = links[-1]
    if last.method == "map":
        return last.argument(1, "num_parallel_calls") is None and not any(
            k.arg is None for k in last.call.keywords
        )
    fused = last.method == "batch" and len(links) > 1 and links[-2].method == "map"
    return last.method in ("batch", "padded_batch") and not fused


BAD = """\
import tensorflow as tf


def load(numbers):
    images = tf.random.stateless_uniform((2, 140, 400), seed=(0, numbers[0]))
    return tf.reduce_mean(tf.sort(images), axis=1)


options = tf.data.Options()
options.autotune.enabled = False
data = tf.data.Dataset.range(600, output_type=tf.int32).batch(2).map(load)
data = data.with_options(options)
weights = tf.Variable(tf.random.normal((400, 400)))


@tf.function
def step(x):
    for _ in tf.range(300):
        x = tf.nn.relu(tf.matmul(x, weights)) / 400.0
    return tf.reduce_sum(x)


for batch in data:
    step(batch)
"""

GOOD = """\
import tensorflow as tf


def load(numbers):
    images = tf.random.stateless_uniform((2, 140, 400), seed=(0, numbers[0]))
    return tf.reduce_mean(tf.sort(images), axis=1)


options = tf.data.Options()
options.autotune.enabled = False
data = tf.data.Dataset.range(600, output_type=tf.int32).batch(2).map(load).prefetch(2)
data = data.with_options(options)
weights = tf.Variable(tf.random.normal((400, 400)))


@tf.function
def step(x):
    for _ in tf.range(300):
        x = tf.nn.relu(tf.matmul(x, weights)) / 400.0
    return tf.reduce_sum(x)


for batch in data:
    step(batch)
"""

RULE = Rule(
    code="HS401",
    slug="input-bound-no-prefetch",
    doc=__doc__,
    symptoms=(
        "GPU idle while data loads",
        "tf.data pipeline is the bottleneck",
        "low utilisation between steps",
    ),
    threshold=(
        "20 % of the loop and 0.5 s spent waiting for data that the steps could have hidden: what the "
        "pipeline needs beyond the steps' own time, a prefetch cannot save."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="safe",
)
