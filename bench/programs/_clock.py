"""Writes down when steps end, as monotonic nanoseconds, in the file that BENCH_TIMES names."""

import json
import os
import time

import keras


def steps(unless_told: int) -> int:
    """How many steps to take: BENCH_STEPS, where steady steps are to be measured well."""
    return int(os.environ.get("BENCH_STEPS", unless_told))


class Clock(keras.callbacks.Callback):
    """For `fit`; `tick` for loops of one's own."""

    def __init__(self):
        super().__init__()
        self.ends = []

    def tick(self):
        self.ends.append(time.monotonic_ns())

    def on_train_batch_end(self, batch, logs=None):
        self.tick()

    def write(self):
        if "BENCH_TIMES" in os.environ:
            with open(os.environ["BENCH_TIMES"], "w") as handle:
                json.dump(self.ends, handle)
