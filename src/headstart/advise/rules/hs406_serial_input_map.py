"""A costly `map` runs on one core.

## What it does
Finds a `map` without `num_parallel_calls` (or `interleave` over one file at a time) that steps wait for.
tf.data makes most maps parallel by itself, but not those that draw random numbers or call Python, nor where
its tuning is off.

## Why it costs
Elements are then prepared one after the other on one core, while the others are idle.

## Use instead
`.map(f, num_parallel_calls=tf.data.AUTOTUNE)`. The order of the elements stays the same.

## Fix safety
`--fix` adds the argument to maps that work on files or images and that tf.data does not make parallel by
itself. Unsafe where they draw random numbers: the elements stay in order, but each may get another draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.ahead import saved_by_prefetch
from ..evidence.looking import Look, rate
from ..evidence.pipelines import pipelines
from ..evidence.processors import at_most_idle, cores_of
from ..evidence.words import secs
from ..rule import Rule
from ..static.chains import written_pipelines
from ..static.files import costly_map, draws, tuning_off
from ..static.source import Edit, Problem, Source

_WORTH_SECONDS = 1.0
_SHARE = 0.2
_ONE_THREAD = 1.2
_OWN_THREADS = 2.5
"""Busy threads of a stage: one, measured as well as it can be; or those that the operations of one element use."""


def detect(run: Analysis) -> Iterable[Draft]:
    cores = cores_of(run)
    if cores < 2:
        return
    for pipeline in pipelines(run):
        waited = pipeline.waits
        serial = pipeline.find("Map", "Interleave")
        if (
            serial is None
            or serial.where is None
            or waited < _WORTH_SECONDS
            or waited < _SHARE * pipeline.seconds
        ):
            continue
        looks = [look for one in pipeline.passes for look in one.looks]
        # tf.data may have fused the map with the batch behind it, or made it parallel by itself.
        names = [name for name in (serial.name, f"{serial.name}AndBatch") if name in pipeline.running]
        busy = max((rate(looks, name) for name in names), default=0.0)
        most = _OWN_THREADS if _one_at_a_time(looks, names) else _ONE_THREAD
        if pipeline.running and not 0.5 <= busy <= most:
            continue
        seen = bool(names)
        lost = at_most_idle(run, pipeline.claims, waited * (1 - 1 / min(cores, 4)))
        if saved_by_prefetch(run, pipeline) > lost:
            continue  # one core is enough for it, while the steps compute
        yield Draft(
            title=f"a {serial.name.lower()} that prepares one element at a time made the steps wait {secs(waited)}",
            file=serial.where[0],
            line=serial.where[1],
            seconds=lost,
            confidence="high" if seen and lost >= 1 else "medium",
            advice="Add num_parallel_calls=tf.data.AUTOTUNE: the elements keep their order.",
            claims=pipeline.claims,
            details={"waited_seconds": round(waited, 3), "cores": cores, "busy": round(busy, 2)},
        )


def _one_at_a_time(looks: Sequence[Look], names: Sequence[str]) -> bool:
    """tf.data says so itself of a map that it fused with the batch."""
    stages = [stage for look in looks for stage in look.nodes if stage.name in names]
    return bool(stages) and all(stage.parameters.get("parallelism") == 1 for stage in stages)


def check(source: Source) -> Iterable[Problem]:
    alias = next((n for n, target in source.imported.items() if target == "tensorflow"), None)
    seen: set[int] = set()
    for chain in written_pipelines(source):
        for link in chain:
            if (
                link.method != "map"
                or id(link.call) in seen
                or link.argument(1, "num_parallel_calls") is not None
            ):
                continue
            seen.add(id(link.call))
            if any(keyword.arg is None for keyword in link.call.keywords) or not costly_map(source, link):
                continue
            if not draws(source, link) and not tuning_off(source):
                continue  # tf.data makes it parallel by itself
            last = max([*link.call.args, *(k.value for k in link.call.keywords)], key=source.end)
            edits = (
                (Edit(source.end(last), source.end(last), f", num_parallel_calls={alias}.data.AUTOTUNE"),)
                if alias
                else ()
            )
            yield Problem(link.line, 1, "this map reads or decodes one element at a time, on one core", edits)


BAD = """\
import tensorflow as tf


def load(i):
    image = tf.random.uniform((600, 600, 3)) + tf.cast(i, tf.float32)
    image = tf.image.resize(image, (500, 500))
    return tf.reduce_mean(tf.sort(image, axis=0), axis=0)


data = tf.data.Dataset.range(160, output_type=tf.int32).map(load).batch(5).prefetch(2)
total = tf.function(lambda x: tf.reduce_sum(x))
for batch in data:
    total(batch)
"""

GOOD = """\
import tensorflow as tf


def load(i):
    image = tf.random.uniform((600, 600, 3)) + tf.cast(i, tf.float32)
    image = tf.image.resize(image, (500, 500))
    return tf.reduce_mean(tf.sort(image, axis=0), axis=0)


data = tf.data.Dataset.range(160, output_type=tf.int32)
data = data.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(5).prefetch(2)
total = tf.function(lambda x: tf.reduce_sum(x))
for batch in data:
    total(batch)
"""

RULE = Rule(
    code="HS406",
    slug="serial-input-map",
    doc=__doc__,
    symptoms=("tf.data map uses one core", "input pipeline CPU bound", "num_parallel_calls missing"),
    threshold=(
        "20 % of the loop and 1 s of waiting behind a serial map, on a machine with more than one core: a "
        "map that keeps up with the steps may stay serial."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="unsafe",
)
