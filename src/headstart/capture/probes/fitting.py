"""Keras loops as a whole: fit, evaluate, predict and their single-batch forms, and their preparations."""

from __future__ import annotations

from typing import Any

from ...record.signals import FIT, FIT_SETUP
from ..bus import Bus, Open
from ..sites import user_site
from ._tools import put_in, span_around, state

LOOPS = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")


def install(bus: Bus, module: Any) -> None:
    if module.__name__.endswith("epoch_iterator"):
        span_around(bus, module.EpochIterator, "__init__", FIT_SETUP, label="data-adapter")
        return
    trainer = module.TensorFlowTrainer
    for name in LOOPS:
        _loop(bus, trainer, name)
    for name in ("make_train_function", "make_test_function", "make_predict_function"):
        span_around(bus, trainer, name, FIT_SETUP, label="make-function")
    if hasattr(module, "TFEpochIterator"):
        span_around(bus, module.TFEpochIterator, "__init__", FIT_SETUP, label="data-adapter")


def _loop(bus: Bus, trainer: Any, name: str) -> None:
    single = name.endswith("_on_batch")

    def enter(self: Any, x: Any) -> Open | None:
        if not bus.on_main():
            return None
        try:
            site = user_site(1)
            attrs: dict[str, Any] = {"model": id(self), "nested": state.fitting > 0}
            if site is not None:
                attrs["site"] = site
            if getattr(self, "run_eagerly", False):
                attrs["eager"] = True
            state.fitting += 1
            if single:
                state.batch_shapes = _shapes(x)
                attrs["shapes"] = str(state.batch_shapes)[:120]
            elif hasattr(x, "shape"):
                attrs["samples"] = int(x.shape[0]) if len(x.shape) else 1
            return bus.begin(FIT, name, attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            state.fitting -= 1
            if single:
                state.batch_shapes = ()
            bus.end(span)
            bus.first_step_done = True

    put_in(bus, trainer, name, enter, leave, arguments=("self", "x"))


def _shapes(x: Any) -> tuple[object, ...]:
    try:
        parts = x if isinstance(x, (list, tuple)) else list(x.values()) if isinstance(x, dict) else [x]
        return tuple(tuple(part.shape) for part in parts)
    except Exception:
        return ()
