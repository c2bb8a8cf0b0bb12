"""What tf.data said of a running pipeline, look by look, and how long its consumer waited in between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...record.nouns import Mark

PYTHON = ("Generator", "FlatMap")
"""Stages behind which `from_generator` runs."""


@dataclass(frozen=True)
class Stage:
    """A transformation as it runs."""

    name: str
    elements: int
    processing_ns: int
    buffered: int
    parameters: dict[str, int]
    inputs: int

    @property
    def apart(self) -> bool:
        """Works on threads of its own, ahead of what reads it."""
        return bool({"buffer_size", "parallelism"} & set(self.parameters)) and self.name != "Shuffle"


@dataclass(frozen=True)
class Look:
    at_ns: int
    cpu_ns: int
    compute_ns: int
    nodes: tuple[Stage, ...]
    """Outermost first; the first is the root that the consumer reads."""

    @property
    def elements(self) -> int:
        return self.nodes[0].elements if self.nodes else 0

    @property
    def processing_ns(self) -> int:
        return sum(node.processing_ns for node in self.nodes)

    @property
    def top(self) -> Stage | None:
        """The outermost transformation, past the root and options."""
        return next(
            (n for n in self.nodes if n.name not in ("Root", "Model", "Options", "MaxIntraOpParallelism")),
            None,
        )


def looks_at(marks: Sequence[Mark]) -> list[Look]:
    return [
        Look(
            mark.at_ns,
            int(mark.attrs.get("cpu", 0)),
            int(mark.attrs.get("compute", 0)),
            tuple(Stage(n[0], n[1], n[2], n[3], n[4], n[5]) for n in mark.attrs.get("nodes", ())),
        )
        for mark in marks
    ]


def waiting_share(passes: Iterable[Sequence[Look]]) -> float | None:
    """The part of the time in which the consumer waited for the pipeline; None when nothing was seen moving."""
    waited = watched = 0.0
    for looks in passes:
        for before, after in pairwise(looks):
            spent = after.at_ns - before.at_ns
            if after.elements <= before.elements or spent <= 0:
                continue
            if after.processing_ns < before.processing_ns:
                continue  # a stage has come to its end and was taken out: what it did since the last look is not known
            watched += spent
            waited += min(1.0, _waiting(before, after) / spent) * spent
    return waited / watched if watched else None


def _waiting(before: Look, after: Look) -> float:
    top = after.top
    if top is None:
        return 0.0
    spent = after.at_ns - before.at_ns
    if top.apart:
        if top.buffered > 0 and _finished(top):
            return 0.0  # elements lie ready: nobody waits
        # The buffer is empty: the consumer waits whenever it does not compute.
        return max(0.0, spent - _computing(before, after))
    # No thread of its own: what the stages down to the first that has one process, they process while it waits.
    total = 0.0
    earlier = dict(enumerate(before.nodes))
    for index, node in enumerate(after.nodes):
        if node.apart:
            break
        total += node.processing_ns - (earlier[index].processing_ns if index in earlier else 0)
    return total


def _computing(before: Look, after: Look) -> int:
    """CPU time that went into the steps rather than into the pipeline."""
    cpu = after.cpu_ns - before.cpu_ns
    left = cpu - min(cpu, after.processing_ns - before.processing_ns)
    if any(node.name in PYTHON for node in after.nodes):
        # Python in the pipeline burns CPU that tf.data does not see (the interpreter's lock, conversions).
        return min(left, max(0, after.compute_ns - before.compute_ns))
    return left


def _finished(stage: Stage) -> bool:
    """Buffered elements of a parallel map may still be in the making; those of a prefetch are done."""
    return stage.name == "Prefetch" or stage.buffered > stage.parameters.get("parallelism", 0)


def rate(looks: Sequence[Look], name: str) -> float:
    """Busy threads of a stage: processing time per time, over all looks."""
    busy = spent = 0
    for before, after in pairwise(looks):
        old = sum(n.processing_ns for n in before.nodes if n.name == name)
        new = sum(n.processing_ns for n in after.nodes if n.name == name)
        if after.elements > before.elements and new >= old:
            busy += new - old
            spent += after.at_ns - before.at_ns
    return busy / spent if spent else 0.0


def share_of_first_maps(passes: Iterable[Sequence[Look]], first: int, maps: int) -> float | None:
    """The part of all processing that the first maps of a chain of so many did; None where that cannot be told.

    tf.data may have fused the last map with the batch behind it, but leaves the number of maps as it was."""
    theirs = whole = 0
    for looks in passes:
        for before, after in pairwise(looks):
            names = [node.name for node in after.nodes]
            stages = [index for index, name in enumerate(names) if "Map" in name or "Interleave" in name]
            if len(stages) != maps or names != [node.name for node in before.nodes]:
                continue
            done = [
                new.processing_ns - old.processing_ns
                for old, new in zip(before.nodes, after.nodes, strict=True)
            ]
            if min(done) >= 0:
                whole += sum(done)
                theirs += sum(done[index] for index in stages[maps - first :])  # outermost, so last, first
    return theirs / whole if whole else None
