"""What the program's own functions did in each phase, as the sampler saw it: who called whom, and for how long.

By name and never by line, so that two commits of a program can be compared.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter, defaultdict
from itertools import pairwise

from ..record.format import ARROW
from ..record.nouns import Run, Sample
from .report import Work
from .timeline import Timeline

LONGEST_NS = 100_000_000
"""One look speaks for no longer than this: after a pause of the sampler nobody knows what went on."""
KEPT = 100


def work_rows(run: Run, timeline: Timeline) -> list[Work]:
    """A phase's time, divided among what was seen in it; the longest first."""
    starts = [segment.start_ns for segment in timeline.segments]
    weights: dict[str, Counter[str]] = defaultdict(Counter)
    looks: Counter[tuple[str, str]] = Counter()
    for sample, weight in zip(run.samples, _weights(run.samples), strict=True):
        index = bisect_right(starts, sample.at_ns) - 1
        if index >= 0:
            phase, name = timeline.segments[index].phase, name_of(sample)
            weights[phase][name] += weight
            looks[phase, name] += 1
    seconds = {phase: ns / 1e9 for phase, ns in timeline.phase_ns().items()}
    rows = [
        Work(
            phase=phase, name=name, seconds=seconds[phase] * weight / found.total(), looks=looks[phase, name]
        )
        for phase, found in weights.items()
        for name, weight in found.items()
        if weight
    ]
    return sorted(rows, key=lambda row: -row.seconds)[:KEPT]


def _weights(samples: list[Sample]) -> list[int]:
    """Nanoseconds that each sample stands for: half of the way to its neighbours."""
    times = [sample.at_ns for sample in samples]
    if len(times) < 2:
        return [1] * len(times)
    gaps = [min(LONGEST_NS, max(0, b - a)) for a, b in pairwise(times)]
    return [(a + b) // 2 for a, b in zip([gaps[0], *gaps], [*gaps, gaps[-1]], strict=True)]


def name_of(sample: Sample) -> str:
    """`train_step`, its own code, or `train_step → sequential.__call__`: what it had a library do."""
    caller, _, called = sample.traced.partition(ARROW)
    if not caller:
        caller, called = sample.function if sample.file else "", sample.entry
        if sample.file:
            caller = f"{caller} ({os.path.basename(sample.file)})"
    called = called.rpartition("/")[2].replace(".py:", ".")
    return ARROW.join(name for name in (caller, called) if name) or "unknown"
