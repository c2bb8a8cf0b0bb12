"""A Keras callback that prints start-up and the first epoch apart, for those who prefer code to a command.

    from headstart.keras import StartupReport
    model.fit(x, y, epochs=5, callbacks=[StartupReport()])

It works without `headstart profile`, with Keras 3 and with the Keras 2 behind `tf.keras`. Keras is not
imported by this module but found when the class is first asked for: by then the program has chosen one.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

__all__ = ["Startup", "StartupReport"]


class Startup(NamedTuple):
    """What the callback found, in seconds. `steady_step` is None when the epoch had a single step."""

    until_fit: float
    """From process start until `fit`, ready to train, handed the model to the callback."""
    until_first_step: float
    """From there until the first step began."""
    first_step: float
    steady_step: float | None
    epoch1: float
    """The first epoch as it would have been without start-up: its steps, the first at the steady price."""
    steps: int

    @property
    def startup(self) -> float:
        return self.until_fit + self.until_first_step + max(0.0, self.first_step - (self.steady_step or 0.0))


class _Watch:
    """Notes when things happen; knows nothing of Keras."""

    def __init__(self, clock: Any = time.perf_counter, born: float | None = None) -> None:
        self._clock = clock
        self._born = clock() - _age() if born is None else born
        self._fit: float | None = None
        self._begins: list[float] = []
        self._trained: float | None = None
        self.found: Startup | None = None

    def fit_called(self) -> None:
        if self._fit is None:
            self._fit = self._clock()

    def step_begins(self) -> None:
        if self.found is None:
            self._begins.append(self._clock())

    def training_pauses(self) -> None:
        """Validation begins: what follows is not the last step's doing."""
        if self._begins and self._trained is None:
            self._trained = self._clock()

    def epoch_ends(self) -> Startup | None:
        """The finding, the first time that there is one."""
        if self.found is not None or not self._begins:
            return None
        from .analyse.stats import steady

        end = self._clock() if self._trained is None else self._trained
        edges = [*self._begins, end]
        durations = [b - a for a, b in pairwise(edges)]
        fit = edges[0] if self._fit is None else self._fit
        typical = steady(durations).median
        first = durations[0]
        self.found = Startup(
            until_fit=fit - self._born,
            until_first_step=edges[0] - fit,
            first_step=first,
            steady_step=typical,
            epoch1=end - edges[0] - max(0.0, first - (first if typical is None else typical)),
            steps=len(durations),
        )
        return self.found


def describe(found: Startup) -> str:
    """Two lines: start-up with its parts, and epoch 1 without it."""
    from .render.units import plural, seconds

    extra = found.first_step - (found.steady_step or 0.0)
    parts = [f"{seconds(found.until_fit)} before training", f"{seconds(found.until_first_step)} preparing"]
    if found.steady_step is None:
        parts.append(f"{seconds(found.first_step)} in the only step")
    elif extra > 0:
        parts.append(f"{seconds(extra)} more in step 1 than in a steady one")
    each = "" if found.steady_step is None else f" of {seconds(found.steady_step)}"
    return (
        f"headstart: start-up {seconds(found.startup)} ({', '.join(parts)})\n"
        f"headstart: epoch 1 without it {seconds(found.epoch1)}, {plural(found.steps, 'step')}{each}"
    )


def _age() -> float:
    """Seconds since this process began, as the kernel says; 0 where it does not."""
    try:
        with open("/proc/self/stat", "rb") as handle:
            ticks = int(handle.read().rsplit(b")", 1)[1].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def _make() -> type:
    base: Any = _callback_class()

    class StartupReport(base):  # type: ignore[misc]
        """Prints how long the start-up took, and epoch 1 apart from it, when the first epoch is over."""

        def __init__(self, stream: TextIO | None = None) -> None:
            super().__init__()
            self._watch = _Watch()
            self._stream = stream

        @property
        def startup(self) -> Startup | None:
            """What was found; None until the first epoch is over."""
            return self._watch.found

        # Only hooks that run on the training thread before a batch: an `on_train_batch_end` would make Keras
        # wait for the logs of every batch.
        def set_model(self, model: Any) -> None:
            super().set_model(model)
            self._watch.fit_called()

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            self._watch.step_begins()

        def on_test_begin(self, logs: Any = None) -> None:
            self._watch.training_pauses()

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            found = self._watch.epoch_ends()
            if found is not None:
                # Keras' progress bar has just ended its line, or is about to: begin one of our own.
                print("\n" + describe(found), file=self._stream or sys.stdout, flush=True)

    StartupReport.__module__ = __name__
    StartupReport.__qualname__ = "StartupReport"
    return StartupReport


def _callback_class() -> Any:
    """The `Callback` of the Keras that this program uses."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None and "keras" not in sys.modules:
        return tensorflow.keras.callbacks.Callback
    if os.environ.get("TF_USE_LEGACY_KERAS", "").lower() in ("1", "true") and "tf_keras" in sys.modules:
        return sys.modules["tf_keras"].callbacks.Callback
    try:
        import keras
    except ImportError:
        raise ImportError("headstart.keras needs Keras: pip install keras") from None
    return keras.callbacks.Callback


if TYPE_CHECKING:

    class StartupReport:
        """Prints how long the start-up took, and epoch 1 apart from it, when the first epoch is over."""

        def __init__(self, stream: TextIO | None = None) -> None: ...

        @property
        def startup(self) -> Startup | None: ...


def __getattr__(name: str) -> Any:
    if name == "StartupReport":
        made = globals()["StartupReport"] = _make()
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
