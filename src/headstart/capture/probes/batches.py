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
        def leave(call: tuple[Any, Any]) -> None:
            entry = open_spans.pop(label, None)
            if entry is None or not bus.on_main():
                return
            callback_list, index = call
            span, first = entry
            if kind == BATCH:
                # One execution may hold several steps (`steps_per_execution`): begin and end name its range.
                last = int(index)
                if label == "train":
                    last = _within_the_epoch(callback_list, last)
                span[3]["steps"] = max(1, last - first + 1)
                bus.first_step_done = True
                state.steps += 1
            bus.end(span)

        return leave

    for label in ("train", "test", "predict"):
        put_in(
            bus, callbacks, f"on_{label}_batch_begin", opener(BATCH, label), _nothing, arguments=("batch",)
        )
        put_in(
            bus, callbacks, f"on_{label}_batch_end", _both, closer(BATCH, label), arguments=("self", "batch")
        )
    put_in(bus, callbacks, "on_epoch_begin", opener(EPOCH, "epoch"), _nothing, arguments=("epoch",))
    put_in(bus, callbacks, "on_epoch_end", _both, closer(EPOCH, "epoch"), arguments=("self", "epoch"))


def _within_the_epoch(callback_list: Any, last: int) -> int:
    """Keras names the last batch that an execution may hold; at an epoch's end there are fewer."""
    try:
        steps = callback_list.params.get("steps")
        return min(last, int(steps) - 1) if steps else last
    except Exception:
        return last


def _both(callback_list: Any, index: Any) -> tuple[Any, Any]:
    return callback_list, index


def _nothing(token: Any) -> None:
    return None
