"""Data pipelines of a run: their transformations, each pass over them, and how long the steps waited."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median

from ...analyse.first_runs import GRAPH_OPTIMIZATION, XLA_COMPILE
from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Mark, Span
from ..draft import Interval
from .looking import Look, looks_at, waiting_share
from .places import Place, place
from .spans import Inside


@dataclass(frozen=True)
class Node:
    """One transformation, as the user wrote it."""

    name: str
    where: Place | None
    attrs: dict[str, object]

    def number(self, key: str) -> int | None:
        value = self.attrs.get(key)
        return value if isinstance(value, int) else None


@dataclass
class Pass:
    """One iteration over a pipeline."""

    iterator: int
    start_ns: int
    end_ns: int
    steps: int = 0
    first_wait_ns: int = 0
    waits_ns: int = 0
    """Waiting for elements after the first."""
    ended: bool = False
    """Read to its end."""
    keras: bool = False
    steady_ns: int = 0
    """From here on waits count: the first element is there, and in Keras' loops the first step is done."""
    site: Place | None = None
    looks: list[Look] = field(default_factory=list)
    nodes: tuple[int | None, ...] = ()
    """The numbers of the chain's transformations in this pass: others, where the data set was made anew."""

    @property
    def interval(self) -> Interval:
        return self.start_ns, self.end_ns

    @property
    def ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass
class Pipeline:
    """A chain of transformations, source first, and the passes over it."""

    chain: list[Node]
    passes: list[Pass]

    @property
    def waits(self) -> float:
        return sum(p.waits_ns for p in self.passes) / 1e9

    @property
    def seconds(self) -> float:
        return sum(p.ns for p in self.passes) / 1e9

    @property
    def claims(self) -> tuple[Interval, ...]:
        return tuple(p.interval for p in self.passes)

    def find(self, *names: str) -> Node | None:
        """The last transformation of these kinds that is at a line of the user's."""
        return next((node for node in reversed(self.chain) if node.name in names and node.where), None)

    def index(self, *names: str) -> int:
        return next((i for i in range(len(self.chain) - 1, -1, -1) if self.chain[i].name in names), -1)

    @property
    def running(self) -> list[str]:
        """Names of the transformations as tf.data rewrote and ran them, outermost first; empty when unknown."""
        for one in self.passes:
            if one.looks:
                return [node.name for node in one.looks[-1].nodes]
        return []


@lru_cache(maxsize=4)
def pipelines(run: Analysis) -> tuple[Pipeline, ...]:
    """Pipelines that the program's own loops read, the longest wait first."""
    nodes = {int(span.attrs["id"]): span for span in run.spans(s.DATASET) if "id" in span.attrs}
    grouped: dict[tuple[object, ...], list[tuple[list[Node], Pass]]] = defaultdict(list)
    for one, dataset in _passes(run):
        chain = _chain(nodes, dataset)
        key = tuple((node.name, node.where) for node in chain)
        one.nodes = tuple(node.number("id") for node in chain)
        grouped[key].append((chain, one))
    found = [Pipeline(members[0][0], [p for _, p in members]) for members in grouped.values()]
    for pipeline in found:
        _judge_waits(pipeline.passes)
    return tuple(sorted(found, key=lambda p: -p.waits))


def _judge_waits(passes: list[Pass]) -> None:
    """Waits inside Keras' loops, by the looks at all passes: a short epoch may have had none of its own."""
    usual = waiting_share([one.looks for one in passes if one.keras])
    for one in passes:
        if one.keras and usual is not None:
            own = waiting_share([one.looks])
            one.waits_ns = int((usual if own is None else own) * max(0, one.end_ns - one.steady_ns))


def _chain(nodes: dict[int, Span], dataset: int | None) -> list[Node]:
    chain: list[Node] = []
    while dataset in nodes and len(chain) < 200:
        span = nodes[dataset]
        chain.append(Node(span.name, place(span), span.attrs))
        inputs = [i for i in span.attrs.get("inputs") or () if i]
        dataset = inputs[0] if inputs else None
    return chain[::-1]


def _passes(run: Analysis) -> list[tuple[Pass, int | None]]:
    created = [span for span in run.spans(s.ITERATOR) if span.attrs.get("iterator")]
    nexts: dict[int, list[Span]] = defaultdict(list)
    for span in run.spans(s.NEXT):
        nexts[int(span.attrs.get("iterator", 0))].append(span)
    marks: dict[int, list[Mark]] = defaultdict(list)
    for mark in run.marks(s.LOOK):
        marks[int(mark.attrs.get("iterator", 0))].append(mark)
    loops = Inside(run.spans(s.FIT))
    found: list[tuple[Pass, int | None]] = []
    for index, span in enumerate(created):
        number = int(span.attrs["iterator"])
        looks = looks_at(marks.get(number, []))
        loop = loops.at(span.start_ns)
        taken = nexts.get(number, [])
        if taken and loop is None:
            one = _eager(span, taken, looks)
        elif loop is not None:
            following = next(
                (c.start_ns for c in created[index + 1 :] if c.start_ns < loop.end_ns), loop.end_ns
            )
            one = _keras(run, span, loop, following, looks)
            if not one.steps and following < loop.end_ns:
                continue  # Keras makes one more than it reads, between epochs
        else:
            continue
        found.append((one, span.attrs.get("dataset")))
    return found


def _eager(span: Span, taken: list[Span], looks: list[Look]) -> Pass:
    ended = any(t.attrs.get("end") for t in taken)
    return Pass(
        iterator=int(span.attrs["iterator"]),
        start_ns=span.start_ns,
        end_ns=taken[-1].end_ns,
        steps=len(taken) - ended,
        first_wait_ns=taken[0].end_ns - taken[0].start_ns,
        steady_ns=taken[0].end_ns,
        waits_ns=sum(t.end_ns - t.start_ns for t in taken[1:]),
        ended=ended,
        site=place(taken[0]),
        looks=looks,
    )


def _keras(run: Analysis, span: Span, loop: Span, end_ns: int, looks: list[Look]) -> Pass:
    batches = run.spans(s.BATCH)
    starts = [b.start_ns for b in batches]
    mine = batches[bisect_left(starts, span.start_ns) : bisect_left(starts, end_ns)]
    end = mine[-1].end_ns if mine else end_ns
    one = Pass(
        iterator=int(span.attrs["iterator"]),
        start_ns=span.start_ns,
        end_ns=end,
        steps=sum(int(b.attrs.get("steps", 1)) for b in mine),
        keras=True,
        steady_ns=mine[0].end_ns if mine else end,
        site=place(loop),
        looks=looks,
    )
    if mine:
        one.first_wait_ns = _first_wait(run, mine)
    return one


def _first_wait(run: Analysis, batches: list[Span]) -> int:
    """What the first batch took beyond the others, without tracing and preparing its graph."""
    first = batches[0]
    busy = sum(
        min(x.end_ns, first.end_ns) - x.start_ns
        for x in Inside(preparing(run)).spans
        if first.start_ns <= x.start_ns < first.end_ns
    )
    usual = int(median([b.end_ns - b.start_ns for b in batches[1:]])) if len(batches) > 1 else 0
    return max(0, first.end_ns - first.start_ns - busy - usual)


def preparing(run: Analysis) -> list[Span]:
    """What a step does once, before it can run."""
    return run.spans(s.TRACE, GRAPH_OPTIMIZATION, XLA_COMPILE, s.VARIABLE_INIT)
