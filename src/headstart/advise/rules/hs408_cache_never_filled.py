"""A data set's cache is started over again in every epoch.

## What it does
Finds a `cache()` that is never read to its end, so that it is thrown away: `cache().take(n)`, a loop that
breaks off, `steps_per_epoch` below the size of the data, or `repeat()` before `cache()`. Also one in a data set
that is made anew for every epoch.

## Why it costs
A cache is kept only when it was filled to the end in one go. Broken off before, everything is computed
again in the next epoch, and the memory was filled for nothing.

## Use instead
`take(n)` before `cache()`, `repeat()` behind it, or one pass over the whole before the first epoch.

## Fix safety
`--fix` swaps `cache().take(n)` to `take(n).cache()`. Safe: the same elements come.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..evidence.pipelines import Pipeline, pipelines
from ..evidence.words import secs
from ..rule import Rule
from ..static.chains import Link, written_pipelines
from ..static.source import Edit, Problem, Source

_PASSES = 3


def detect(run: Analysis) -> Iterable[Draft]:
    for pipeline in pipelines(run):
        cache = pipeline.find("Cache")
        if cache is None or cache.where is None:
            continue
        why = _unfilled(pipeline)
        anew = why is None and _made_anew(pipeline)
        if anew:
            why = "a new one was made for each pass"
        later = pipeline.passes[1:] if not _endless(pipeline) else pipeline.passes
        waited = sum(p.waits_ns + p.first_wait_ns for p in later) / 1e9
        if why is None or waited < 0.5:
            continue
        yield Draft(
            title=f"the cache was never {'read' if anew else 'filled'} ({why}), and the steps waited {secs(waited)} again",
            file=cache.where[0],
            line=cache.where[1],
            seconds=waited,
            # Whether the new ones hold the same data is not known: they may be of another file each.
            confidence="low" if anew else "high" if waited >= 1 else "medium",
            advice="Make the data set once, before the loop over epochs: its cache goes when it goes."
            if anew
            else "Put take(n) before cache() and repeat() behind it: a cache is kept only when it was "
            "filled to its end.",
            claims=tuple(p.interval for p in later),
            details={"passes": len(pipeline.passes)},
        )


def _endless(pipeline: Pipeline) -> bool:
    """`repeat()` without a count before the cache."""
    at = pipeline.index("Cache")
    return any(node.name == "Repeat" and (node.number("count") or -1) < 0 for node in pipeline.chain[:at])


def _unfilled(pipeline: Pipeline) -> str | None:
    at = pipeline.index("Cache")
    if _endless(pipeline):
        return "repeat() comes before it"
    if any(node.name == "Take" for node in pipeline.chain[at:]):
        return "take() comes behind it" if len(pipeline.passes) > 1 else None
    eager = [p for p in pipeline.passes if not p.keras]
    if len(eager) > 1 and not any(p.ended for p in eager):
        return "no pass read it to its end"
    return None


def _made_anew(pipeline: Pipeline) -> bool:
    """Every pass had a cache in memory of its own, and all read as many elements."""
    at = pipeline.index("Cache")
    caches = {one.nodes[at] for one in pipeline.passes if len(one.nodes) > at}
    return (
        pipeline.chain[at].attrs.get("in_memory") is True
        and len(pipeline.passes) >= _PASSES
        and len(caches) == len(pipeline.passes)
        and len({one.steps for one in pipeline.passes}) == 1
    )


def check(source: Source) -> Iterable[Problem]:
    seen: set[int] = set()
    for chain in written_pipelines(source):
        for before, after in itertools.pairwise(chain):
            if id(after.call) in seen:
                continue
            if before.method == "cache" and after.method == "take":
                seen.add(id(after.call))
                yield Problem(
                    after.line,
                    1,
                    "the cache is never read to its end: take before cache",
                    _swap(source, before, after),
                )
            elif (
                before.method == "repeat"
                and after.method == "cache"
                and not before.call.args
                and not before.call.keywords
            ):
                seen.add(id(after.call))
                yield Problem(after.line, 1, "an endless data set never fills its cache: repeat behind cache")


def _swap(source: Source, cache: Link, take: Link) -> tuple[Edit, ...]:
    if not isinstance(take.call.func, ast.Attribute) or take.call.func.value is not cache.call:
        return ()
    assert isinstance(cache.call.func, ast.Attribute)
    middle, end = source.end(cache.call), source.end(take.call)
    first, second = _dot(source, source.end(cache.call.func.value)), _dot(source, middle)
    # Comments and line ends between the two stay where they are.
    return (
        Edit(first, end, source.text[second:end] + source.text[middle:second] + source.text[first:middle]),
    )


def _dot(source: Source, at: int) -> int:
    between = re.compile(r"(?:[\s\\)]|#[^\r\n]*)*").match(source.text, at)
    assert between is not None
    return between.end()


BAD = """\
import tensorflow as tf


def prepare(i):
    x = tf.cast(tf.fill((512, 512), i), tf.float32)
    return tf.reduce_mean(tf.matmul(x, x), axis=0) / 512.0


data = tf.data.Dataset.range(1000, output_type=tf.int32).map(prepare, num_parallel_calls=2)
data = data.cache().take(200).batch(10).prefetch(2)
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


data = tf.data.Dataset.range(1000, output_type=tf.int32).map(prepare, num_parallel_calls=2)
data = data.take(200).cache().batch(10).prefetch(2)
total = tf.function(lambda x: tf.reduce_sum(x))
for epoch in range(15):
    for batch in data:
        total(batch)
"""

RULE = Rule(
    code="HS408",
    slug="cache-never-filled",
    doc=__doc__,
    symptoms=(
        "The calling iterator did not fully read the dataset being cached",
        "dataset.cache() does not speed up the second epoch",
    ),
    threshold=(
        "2 passes over a cache of which none reached the end, and 0.5 s of waiting in the passes after "
        "the first: a cache that is read once is merely useless."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
    fix="safe",
)
