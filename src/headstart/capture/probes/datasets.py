"""tf.data pipelines: each transformation, what it is built on, its parameters and the user's line."""

from __future__ import annotations

from typing import Any

from ...record.signals import DATASET
from ..bus import Bus, now
from ..sites import user_site
from ._tools import put_in, state
from .functions import code_facts

KEPT_PER_LINE = 300
"""Transformations recorded for one line and kind: enough to see a chain grow, little for `fit` in a loop."""


class Pipelines:
    """Numbers for dataset objects, and how long the chain behind each is."""

    def __init__(self) -> None:
        self.count = 0
        self.by_object: dict[int, int] = {}
        self.depth: dict[int, int] = {}

    def add(self, dataset: Any) -> int:
        self.count += 1
        # A new object may have the address of a dead one: the newest owner is the right one.
        self.by_object[id(dataset)] = self.count
        return self.count

    def of(self, dataset: Any) -> int | None:
        return self.by_object.get(id(getattr(dataset, "_dataset", dataset)), self.by_object.get(id(dataset)))


pipelines = Pipelines()


def install(bus: Bus, module: Any) -> None:
    seen: dict[Any, int] = {}

    def enter(self: Any) -> tuple[Any, int]:
        return self, now()

    def leave(token: tuple[Any, int]) -> None:
        dataset, t0 = token
        try:
            number = pipelines.add(dataset)
            inputs = [pipelines.of(part) for part in dataset._inputs()]
            depth = 1 + max((pipelines.depth.get(part, 0) for part in inputs if part), default=0)
            pipelines.depth[number] = depth
            if not bus.on_main():
                return
            name = type(dataset).__name__.strip("_").removesuffix("Dataset")
            site = user_site(0)
            key = (name, site[0], site[1]) if site else (name, None, 0)
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > KEPT_PER_LINE:
                return
            attrs: dict[str, Any] = {"id": number, "inputs": inputs, "depth": depth, **_details(dataset)}
            if site is not None:
                attrs["site"] = site
            bus.span(t0, now(), DATASET, name, attrs)
        except Exception:
            pass

    put_in(bus, module.DatasetV2, "__init__", enter, leave, arguments=("self",))


def _details(dataset: Any) -> dict[str, Any]:
    """Parameters, as far as they are plain numbers by now, and the user's function."""
    found: dict[str, Any] = {}
    for attribute, label in (
        ("_buffer_size", "buffer"),
        ("_count", "count"),
        ("_num_parallel_calls", "parallel"),
        ("_batch_size", "batch"),
    ):
        value = _number(getattr(dataset, attribute, None))
        if value is not None:
            found[label] = value
    if type(dataset).__name__ == "CacheDataset" and not state.tracing:
        found["in_memory"] = dataset._filename._numpy_internal() == b""
    function = getattr(getattr(dataset, "_map_func", None), "_func", None)
    if function is not None:
        facts = code_facts(function)
        found["code"] = facts["code"]
        if "file" in facts:
            found["file"], found["line"] = facts["file"], facts["line"]
    return found


def _number(value: Any) -> int | None:
    if isinstance(value, int):
        return value
    if value is None or state.tracing or not hasattr(value, "_numpy_internal"):
        return None
    return int(value._numpy_internal())
