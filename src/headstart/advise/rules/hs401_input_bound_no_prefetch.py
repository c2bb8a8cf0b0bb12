"""Steps wait for data that could have been prepared meanwhile.

## What it does
Finds loops whose steps wait for the next batch while nothing prepares it ahead. tf.data adds a prefetch by
itself unless its tuning or its default optimisations are switched off, so pipelines are looked at as they
run.

## Why it costs
Without it the pipeline prepares a batch only when it is asked for: the model waits for the data, then the
data waits for the model, and a step takes the sum of both instead of the longer.

## Use instead
`.prefetch(tf.data.AUTOTUNE)` as the last transformation.

## Fix safety
`--fix` appends it to pipelines that end in `batch`, in files that switch tf.data's tuning off. Safe: the
same elements come in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.pipelines import Pipeline, pipelines
from ..evidence.words import secs
from ..rule import Rule
from ..static.chains import written_pipelines
from ..static.files import tuning_off
from ..static.source import Edit, Problem, Source

_WORTH_SECONDS = 0.5
_SHARE = 0.2
_NO_WORK = ("Options", "Model", "Take", "Repeat")


def detect(run: Analysis) -> Iterable[Draft]:
    for pipeline in pipelines(run):
        if not pipeline.chain or _ahead(run, pipeline):
            continue
        waited = pipeline.waits
        computing = pipeline.seconds - waited - sum(p.first_wait_ns for p in pipeline.passes) / 1e9
        lost = min(waited, computing)
        if lost < _WORTH_SECONDS or waited < _SHARE * pipeline.seconds:
            continue
        last = next((n for n in reversed(pipeline.chain) if n.where and n.name not in _NO_WORK), None)
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


def _ahead(run: Analysis, pipeline: Pipeline) -> bool:
    """Something at the end of the pipeline works on a thread of its own, ahead of the steps."""
    looks = [look for one in pipeline.passes for look in one.looks if look.top is not None]
    if looks:
        top = looks[-1].top
        return top is not None and top.apart
    if not run.run.facts.get("looks"):
        return True  # tf.data adds a prefetch of its own, and this version does not tell
    # A pipeline that cannot be looked into has tuning switched off: it runs as it is written.
    last = next((n.name for n in reversed(pipeline.chain) if n.name not in _NO_WORK), "")
    return last in ("Prefetch", "ParallelMap", "ParallelInterleave", "ParallelBatch")


def check(source: Source) -> Iterable[Problem]:
    """Only where the file switches tf.data's tuning off: else it adds a prefetch by itself."""
    if not tuning_off(source):
        return
    alias = next((n for n, target in source.imported.items() if target == "tensorflow"), None)
    for chain in written_pipelines(source):
        links = [link for link in chain if link.method != "with_options"]
        if links[-1].method not in ("batch", "padded_batch") or "prefetch" in [link.method for link in links]:
            continue
        call = links[-1].call
        edit = Edit(source.end(call), source.end(call), f".prefetch({alias}.data.AUTOTUNE)")
        yield Problem(
            links[-1].line,
            1,
            "with tuning off, batches are prepared only when the model asks for them",
            (edit,) if alias else (),
        )


BAD = """\
import tensorflow as tf


def load(i):
    image = tf.random.stateless_uniform((400, 400, 1), seed=(0, i))
    return tf.reduce_mean(tf.sort(tf.image.flip_left_right(image), axis=0), axis=(1, 2))


options = tf.data.Options()
options.autotune.enabled = False
data = tf.data.Dataset.range(300, output_type=tf.int32).map(load, num_parallel_calls=1).batch(2)
data = data.with_options(options)
weights = tf.Variable(tf.random.normal((400, 400)))


@tf.function
def step(x):
    for _ in tf.range(100):
        x = tf.nn.relu(tf.matmul(x, weights)) / 400.0
    return tf.reduce_sum(x)


for batch in data:
    step(batch)
"""

GOOD = """\
import tensorflow as tf


def load(i):
    image = tf.random.stateless_uniform((400, 400, 1), seed=(0, i))
    return tf.reduce_mean(tf.sort(tf.image.flip_left_right(image), axis=0), axis=(1, 2))


options = tf.data.Options()
options.autotune.enabled = False
data = tf.data.Dataset.range(300, output_type=tf.int32).map(load, num_parallel_calls=1).batch(2).prefetch(2)
data = data.with_options(options)
weights = tf.Variable(tf.random.normal((400, 400)))


@tf.function
def step(x):
    for _ in tf.range(100):
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
