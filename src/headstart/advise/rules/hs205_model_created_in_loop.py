"""The same model is built again and again.

## What it does
Finds a line that builds the same model many times, each for a call or a few steps: a model per request, per
sample, per episode.

## Why it costs
Each new model creates its variables again, and every function that Keras compiled for the last one is
traced and optimised again, since a trace belongs to the variables that it uses. Without `clear_session` the
old ones stay in memory as well.

## Use instead
Build it once, before the loop, and start over with `model.set_weights(initial)` where fresh weights are
needed. Building a model per fold or per candidate of a search is fine, and is not reported.

## Fix safety
No automatic fix: code that relies on fresh weights must reset them.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from statistics import median

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Mark
from ..draft import Draft
from ..evidence.models import batches_in, model_of
from ..evidence.spans import Inside, total_seconds, within
from ..evidence.tracing import groups
from ..evidence.words import secs, times
from ..rule import Rule

_MODELS = 8
_USES = 3
"""Steps per model up to which building it is the larger part."""


def detect(run: Analysis) -> Iterable[Draft]:
    loads = Inside(run.spans(s.LOAD))
    by_line: dict[tuple[str, int, str], list[Mark]] = defaultdict(list)
    for mark in run.marks(s.MODEL_CREATED):
        site = mark.attrs.get("site")
        if site and loads.at(mark.at_ns) is None:
            # A Sequential makes a Functional inside: each kind of model is counted for itself.
            by_line[(site[0], site[1], mark.name)].append(mark)
    best: Draft | None = None
    for (file, line, _), marks in by_line.items():
        if len(marks) < _MODELS or not _same_model(run, marks):
            continue
        draft = _draft(run, file, line, marks)
        # A model of models is made at several lines: the outermost loop's cost is in each, and counts once.
        if draft is not None and (best is None or draft.seconds > best.seconds):
            best = draft
    if best is not None:
        yield best


def _draft(run: Analysis, file: str, line: int, marks: list[Mark]) -> Draft | None:
    edges = [mark.at_ns for mark in marks] + [run.run.end_ns]
    start, end = edges[1], edges[-1]
    built = run.spans(s.MODEL_BUILD, s.VARIABLE_INIT, s.OPTIMIZER_BUILD, s.COMPILE)
    lost = total_seconds(within(built, start, end))
    traced = [
        t for g in groups(run) for t in g.traces if t.why is not None and start <= t.trace.start_ns < end
    ]
    lost += sum(t.lost_ns for t in traced) / 1e9
    # The outermost: a batch of `fit` is one step, and not also the function that it calls.
    steps = Inside(run.spans(s.CALL, s.BATCH, s.MODEL_CALL, s.SESSION_RUN)).spans
    meanwhile = [len(within(steps, a, b)) for a, b in itertools.pairwise(edges)]
    used = [max(pair) for pair in zip(meanwhile, _batches_of_each(run, edges), strict=True)]
    uses = median(used[:-1] or [0])
    # Nothing ran until all were there, and then it did: the members of an ensemble, the experts of a mixture.
    together = not any(meanwhile[:-1]) and meanwhile[-1] > 0
    if lost < 1.0:
        return None
    return Draft(
        title=f"the same model was built {times(len(marks))}, each for {uses:.0f} steps or fewer: {secs(lost)}",
        file=file,
        line=line,
        seconds=lost,
        confidence="high" if uses <= _USES and not together else "low",
        advice="Build it once, before the loop; for fresh weights keep initial = model.get_weights() and "
        "set_weights(initial).",
        # The loop as a whole: what else is slow about a model that is used once follows from that.
        claims=((edges[0], max((x.end_ns for x in steps), default=edges[-1])),),
        details={"models": len(marks), "steps_each": uses},
    )


def _batches_of_each(run: Analysis, edges: list[int]) -> list[int]:
    """Batches in the Keras loops of the models made from each edge to the next, however much later these ran."""
    counts = [0] * (len(edges) - 1)
    batches = batches_in(run)
    for loop in run.spans(s.FIT):
        index = bisect_right(edges, model_of(run, loop)) - 1
        if 0 <= index < len(counts):
            counts[index] += batches.get(loop.start_ns, 1)
    return counts


def _same_model(run: Analysis, marks: list[Mark]) -> bool:
    """Most of them have the variables of the one before: a search over architectures has not."""
    variables = run.spans(s.VARIABLE_INIT)
    edges = [mark.at_ns for mark in marks] + [run.run.end_ns]
    shapes = [
        tuple(str(v.attrs.get("shape")) for v in within(variables, a, b))
        for a, b in itertools.pairwise(edges)
    ]
    # What else was built in the last stretch is not known to be the model's.
    pairs = list(itertools.pairwise(shapes))
    return bool(pairs) and sum(a == b for a, b in pairs) >= 0.7 * len(pairs)


BAD = """\
import keras
import numpy as np


def build():
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])


weights = build().get_weights()
for request in range(120):
    model = build()
    model.set_weights(weights)
    print(model.predict_on_batch(np.ones((1, 8))))
"""

GOOD = """\
import keras
import numpy as np


def build():
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.Dense(1)])


model = build()
for request in range(120):
    print(model(np.ones((1, 8), "float32"), training=False))
"""

RULE = Rule(
    code="HS205",
    slug="model-created-in-loop",
    doc=__doc__,
    symptoms=(
        "creating a model in a loop leaks memory",
        "each iteration gets slower with Sequential in a loop",
    ),
    threshold=(
        "The same architecture at one line 8 times or more, each used for at most 3 steps, and 1 s lost: "
        "cross validation and searches build a model for hundreds of steps and are meant to; models that are all "
        "made before any is used, as an ensemble's are, are told with low confidence."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
