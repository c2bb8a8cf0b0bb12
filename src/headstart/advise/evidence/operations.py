"""Loops of plain eager operations, without a tape or a model: seen by the sampler only."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ...analyse.model import Analysis
from ...record import format as record
from ...record import signals as s
from ..draft import Interval
from .eager import caller_in_loop, elsewhere, saved_as_graph
from .places import Place, loops_at
from .samples import samples

SPREAD = 0.5
"""Above this share at one operation the loop is that operation: it computes, and a graph would compute it too."""


@dataclass
class EagerLoop:
    """What the sampler saw of one loop."""

    lines: Counter[Place] = field(default_factory=Counter)
    leaves: Counter[str] = field(default_factory=Counter)
    first_ns: int = 0
    last_ns: int = 0

    @property
    def line(self) -> Place:
        return self.lines.most_common(1)[0][0]

    @property
    def seconds(self) -> float:
        return self.lines.total() / 1e9

    @property
    def interval(self) -> Interval:
        return self.first_ns, self.last_ns

    @property
    def spread(self) -> bool:
        """Time goes into many small things rather than into one operation."""
        return self.leaves.most_common(1)[0][1] <= SPREAD * self.leaves.total()


def eager_loops(run: Analysis) -> list[tuple[EagerLoop, float, float]]:
    """(loop, seconds that a graph would save, share of dispatching), most first."""
    outside = elsewhere(run)
    known = {c.site[:2] for c in run.spans(s.MODEL_CALL, s.TAPE_GRADIENT, s.CONVERT) if c.site}
    homes: dict[tuple[str, int, str], tuple[Place, Place] | None] = {}
    loops: dict[Place, EagerLoop] = defaultdict(EagerLoop)
    seen = samples(run)
    for sample, weight in zip(seen.samples, seen.weights, strict=True):
        if not sample.file or not sample.flags & record.IN_LIBRARY or sample.flags & record.GRAPH_MODE:
            continue
        if not sample.entry.startswith("tensorflow/") or outside.at(sample.at_ns) is not None:
            continue
        key = (sample.file, sample.line, sample.function)
        if key not in homes:
            homes[key] = None if key[:2] in known else _home(*key)
        home = homes[key]
        if home is not None:
            line, loop = home
            found = loops[loop]
            found.lines[line] += weight
            found.leaves[sample.leaf] += weight
            found.first_ns = found.first_ns or sample.at_ns
            found.last_ns = sample.at_ns + weight
    judged = [(loop, *saved_as_graph(run, *loop.interval, outside)) for loop in loops.values()]
    judged = [(loop, min(saved, loop.seconds), share) for loop, saved, share in judged]
    return sorted(judged, key=lambda item: -item[1])


def _home(file: str, line: int, function: str) -> tuple[Place, Place] | None:
    """(the line in the loop, the loop): the line's own loop, or that of a line that calls its function."""
    own = loops_at(file, line)
    where = (file, line) if own else caller_in_loop(file, line, function)
    around = own or loops_at(*where)
    return (where, (file, around[-1].lineno)) if around else None
