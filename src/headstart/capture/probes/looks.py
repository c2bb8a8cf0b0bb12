"""Looks into running data pipelines: what tf.data itself knows about each transformation.

Inside a Keras `fit` the wait for the next batch happens in the graph, where Python sees nothing. But tf.data keeps
a model of every running pipeline (it tunes itself with it): elements and processing time of each transformation,
how full its buffers are. Asked a few times a second at first and rarely later, from the sampler's thread; an answer
takes a third of a millisecond. TensorFlow 2.16 cannot be asked; there only waits in plain loops are known.
"""

from __future__ import annotations

import os
import time
import weakref
from typing import Any

from ...record.signals import LOOK
from ..bus import Bus

OFTEN_SECONDS, OFTEN = 0.2, 25
"""So often at first: short loops are over in seconds."""
SELDOM_SECONDS = 2.0
ITERATORS = 2
"""The newest iterators: what the program reads now."""


class Looks:
    """Asks the newest iterators now and then."""

    def __init__(self, bus: Bus, ask: Any, model: Any) -> None:
        self.bus = bus
        self.ask = ask
        self.model = model
        self.iterators: list[tuple[int, Any]] = []
        self.count = 0
        self.next = 0.0
        self.threads = ComputeThreads()

    def add(self, number: int, iterator: Any) -> None:
        self.iterators = [*self.iterators[-ITERATORS + 1 :], (number, weakref.ref(iterator))]

    def __call__(self, rss: int) -> None:
        at = time.monotonic()
        if at < self.next or not self.iterators:
            return
        self.count += 1
        self.next = at + (OFTEN_SECONDS if self.count <= OFTEN else SELDOM_SECONDS)
        for number, reference in self.iterators:
            iterator = reference()
            if iterator is not None and not self._look(number, iterator):
                # Once is enough: each refusal is a line on the program's stderr.
                self.iterators = [entry for entry in self.iterators if entry[0] != number]
            del iterator

    def _look(self, number: int, iterator: Any) -> bool:
        try:
            if not _tuned(iterator._dataset):
                return False
            answer = self.ask(iterator._iterator_resource)._numpy_internal()
        except Exception:
            return False
        proto = self.model.FromString(answer)
        nodes = []
        for key in _outermost_first(proto):
            node = proto.nodes[key]
            parameters = {p.name: int(p.value) for p in node.parameters}
            nodes.append(
                [
                    node.name,
                    node.num_elements,
                    node.processing_time,
                    node.buffered_elements,
                    parameters,
                    len(node.inputs),
                ]
            )
        if nodes:
            attrs = {
                "iterator": number,
                "cpu": time.process_time_ns(),
                "compute": self.threads.cpu_ns(),
                "nodes": nodes,
            }
            self.bus.mark(LOOK, "pipeline", attrs)
        return True


class ComputeThreads:
    """CPU time of the runtime's compute threads, which have a name of their own."""

    def __init__(self) -> None:
        self.known: dict[str, bool] = {}

    def cpu_ns(self) -> int:
        total = 0
        try:
            for tid in os.listdir("/proc/self/task"):
                if tid not in self.known:
                    with open(f"/proc/self/task/{tid}/comm", "rb") as handle:
                        self.known[tid] = handle.read().startswith(b"tf_Compute")
                if self.known[tid]:
                    with open(f"/proc/self/task/{tid}/schedstat", "rb") as handle:
                        total += int(handle.read().split()[0])
        except (OSError, ValueError, IndexError):
            return total
        return total


def _tuned(dataset: Any) -> bool:
    """tf.data models a pipeline in order to tune it; where that is switched off there is nothing to ask."""
    options = dataset.options()
    return bool(getattr(getattr(options, "autotune", None), "enabled", None) is not False)


def _outermost_first(proto: Any) -> list[int]:
    order: list[int] = []
    waiting = [proto.output]
    while waiting and len(order) < 40:
        key = waiting.pop(0)
        if key in proto.nodes:
            order.append(key)
            waiting.extend(proto.nodes[key].inputs)
    return order


_looks: Looks | None = None


def install(bus: Bus, module: Any) -> None:
    global _looks
    _looks = Looks(bus, module.ged_ops.iterator_get_model_proto, module.model_pb2.ModelProto)
    bus.on_memory.append(_looks)
    bus.fact(looks=True)


def watch(number: int, iterator: Any) -> None:
    """Called for each iterator that the program makes in eager code."""
    if _looks is not None:
        _looks.add(number, iterator)
