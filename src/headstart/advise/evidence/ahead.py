"""Does a pipeline work ahead of the steps, and what would a prefetch save?"""

from __future__ import annotations

from ...analyse.model import Analysis
from .pipelines import Pipeline, preparing
from .processors import at_most_idle
from .spans import total_seconds, within

NO_WORK = ("Options", "Model", "Take", "Repeat")


def saved_by_prefetch(run: Analysis, pipeline: Pipeline) -> float:
    """Seconds: the shorter of waiting and computing, as far as there are processors to do both at the same time."""
    if not pipeline.chain or works_ahead(run, pipeline):
        return 0.0
    return at_most_idle(run, pipeline.claims, min(pipeline.waits, computing_seconds(run, pipeline)))


def computing_seconds(run: Analysis, pipeline: Pipeline) -> float:
    """What the steps computed between their waits. Tracing and preparing graphs comes once: beside that, a buffer of
    a few elements is full at once, and hides no wait of the steps to come."""
    once = preparing(run)
    return sum(
        max(
            0.0,
            (one.end_ns - one.steady_ns - one.waits_ns) / 1e9
            - total_seconds(within(once, one.steady_ns, one.end_ns)),
        )
        for one in pipeline.passes
    )


def works_ahead(run: Analysis, pipeline: Pipeline) -> bool:
    """Something at the end of the pipeline works on a thread of its own, ahead of the steps."""
    looks = [look for one in pipeline.passes for look in one.looks if look.top is not None]
    if looks:
        top = looks[-1].top
        return top is not None and top.apart
    if not run.run.facts.get("looks"):
        return True  # tf.data adds a prefetch of its own, and this version does not tell
    # A pipeline that cannot be looked into has tuning switched off: it runs as it is written, but for what is fused.
    names = [node.name for node in pipeline.chain if node.name not in NO_WORK]
    fused = names[-1:] == ["Batch"] and names[-2:-1] in (["Map"], ["ParallelMap"])
    return fused or names[-1:] in (["Prefetch"], ["ParallelMap"], ["ParallelInterleave"], ["ParallelBatch"])
