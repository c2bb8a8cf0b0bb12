"""Says in a few words what a program is doing, from the spans that it is in."""

from __future__ import annotations

from ..record import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = {
    signals.IMPORT: "importing {}",
    signals.NATIVE: "loading {}",
    signals.EXTERNAL: "waiting for {}",
    signals.SLEEP: "sleeping",
    signals.SHUTDOWN: "shutting down",
    signals.DEVICE_INIT: "setting up devices",
    signals.TRACE: "tracing {}",
    signals.AUTOGRAPH: "tracing {}",
    signals.GRADIENT: "tracing gradients",
    signals.EXECUTE: "optimising and running {}",
    signals.SESSION_RUN: "running the session",
    signals.LITE_SETUP: "preparing the interpreter",
    signals.LITE_RUN: "running the interpreter",
    signals.MODEL_BUILD: "building {}",
    signals.VARIABLE_INIT: "initialising variables",
    signals.LOAD: "loading weights",
    signals.OPTIMIZER_BUILD: "building the optimizer",
    signals.SAVE: "saving {}",
    signals.FIT_SETUP: "preparing the loop",
    signals.NEXT: "waiting for the first data",
    signals.ITERATOR: "starting the input pipeline",
    signals.CONVERT: "converting data",
    signals.FIT: "in {}",
}


def doing(spans: Sequence[tuple[int, str, str]]) -> tuple[int, str] | None:
    """(since when, what) of the innermost thing worth naming, None when nothing is."""
    for index in range(len(spans) - 1, -1, -1):
        start, kind, name = spans[index]
        if kind not in _WORDS:
            continue
        # A chain of imports is one import to the user: the one that their own line asked for.
        while kind in (signals.IMPORT, signals.NATIVE) and index and spans[index - 1][1] == signals.IMPORT:
            index -= 1
            start, kind, name = spans[index]
        return start, phrase(kind, name)
    return None


def phrase(kind: str, name: str) -> str:
    """What a span of this kind is called."""
    if kind == signals.NATIVE:
        name = name.rpartition("/")[2]
    elif kind == signals.EXECUTE:
        name = name.removeprefix("__inference_").rstrip("0123456789").rstrip("_")
    return _WORDS[kind].format(name) if kind in _WORDS else name
