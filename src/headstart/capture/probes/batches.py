"""Epochs and batches of Keras loops, told by the calls that Keras makes to its callbacks."""

from __future__ import annotations

from typing import Any

from ...record.signals import BATCH, EPOCH
from ..bus import Bus, Open
from ._tools import put_in, state


def install(bus: Bus, module: Any) -> None:
    callbacks = module.CallbackList
    open_spans: dict[str, tuple[Open, int]] = {}

    def opener(kind: str, label: str) -> Any:
        def enter(index: Any) -> None:
            if not bus.on_main():
                return
            stale = open_spans.pop(label, None)
            if stale is not None:
                bus.drop(stale[0])
            number = int(index)
            open_spans[label] = (
                bus.begin(kind, str(number) if kind == EPOCH else label, {"index": number}),
                number,
            )

        return enter

    def closer(kind: str, label: str) -> Any:
        def leave(index: Any) -> None:
            entry = open_spans.pop(label, None)
            if entry is None or not bus.on_main():
                return
            span, first = entry
            if kind == BATCH:
                # One execution may hold several steps (`steps_per_execution`): begin and end name its range.
                span[3]["steps"] = max(1, int(index) - first + 1)
                bus.first_step_done = True
                state.steps += 1
            bus.end(span)

        return leave

    for label in ("train", "test", "predict"):
        put_in(
            bus, callbacks, f"on_{label}_batch_begin", opener(BATCH, label), _nothing, arguments=("batch",)
        )
        put_in(bus, callbacks, f"on_{label}_batch_end", _same, closer(BATCH, label), arguments=("batch",))
    put_in(bus, callbacks, "on_epoch_begin", opener(EPOCH, "epoch"), _nothing, arguments=("epoch",))
    put_in(bus, callbacks, "on_epoch_end", _same, closer(EPOCH, "epoch"), arguments=("epoch",))


def _same(value: Any) -> Any:
    return value


def _nothing(token: Any) -> None:
    return None
