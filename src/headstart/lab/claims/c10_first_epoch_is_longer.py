"""The first epoch is much longer than later ones, whatever the hardware.

## What is measured
`fit` of a small network over several epochs, once with epochs of 10 batches and once with epochs of 2000: epoch
1 over the median of the later ones. "Much longer" is twice as long.

## What happens
What is paid once (tracing, optimising, creating slots) is a fixed number of seconds, so the ratio depends on
how long an epoch is. With ten batches the first epoch takes many times as long as the second; with epochs of
minutes nobody would notice.

## What headstart does
`headstart profile` lists every epoch, and `headstart.keras` prints start-up and epoch 1 apart, so that the
first epoch is not mistaken for slow training.
"""

from __future__ import annotations

from ...analyse.stats import median
from ..claim import Arm, Claim, Contrast, Examples, Quantity, Twin
from ..programs import program
from ..quantities import computed, phases

FIT = """\
import time
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, note

dense = [tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1)]
model = tf.keras.Sequential([tf.keras.Input((32,)), *dense])
model.compile(optimizer="sgd", loss="mse")
x, y = numpy.random.rand(8 * $batches, 32).astype("float32"), numpy.random.rand(8 * $batches, 1).astype("float32")


class Epochs(tf.keras.callbacks.Callback):
    seconds = []

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds.append(time.perf_counter() - self.start)


with clock("fit"):
    model.fit(x, y, batch_size=8, epochs=$epochs, verbose=0, callbacks=[Epochs()])
note(epochs=Epochs.seconds)
"""


def _first(arm: str, label: str) -> Quantity:
    return computed(arm, f"epoch 1 of {label}", lambda n: n["epochs"][0])


def _later(arm: str) -> Quantity:
    return computed(arm, "a later epoch", lambda n: median(n["epochs"][1:]))


CLAIM = Claim(
    id="C10",
    slug="first-epoch-is-longer",
    doc=__doc__,
    documents=("001",),
    rule="when",
    arms=(
        Arm(name="small epochs", program=program(FIT, batches=10, epochs=5)),
        Arm(name="large epochs", program=program(FIT, batches=2000, epochs=2)),
    ),
    contrasts=(
        Contrast(
            slow=_first("small epochs", "10 batches"),
            fast=_later("small epochs"),
            holds_from=3,
            fails_below=2,
            when="epochs are short (10 batches)",
        ),
        Contrast(
            slow=_first("large epochs", "2000 batches"),
            fast=_later("large epochs"),
            holds_from=3,
            fails_below=2,
            when="epochs are long (2000 batches)",
        ),
    ),
    twin=Twin(
        "large epochs",
        "the whole of `fit`",
        "fit",
        phases(
            "tracing",
            "graph-optimization",
            "optimizer-setup",
            "variable-init",
            "data-warmup",
            "data-wait",
            "model-build",
            "first-step",
            "steady-steps",
        ),
    ),
    examples=Examples(
        holds={"small epochs": {"epochs": [1.0, 0.1, 0.1]}, "large epochs": {"epochs": [9.0, 2.0, 2.0]}},
        fails={"small epochs": {"epochs": [0.11, 0.1, 0.1]}, "large epochs": {"epochs": [2.1, 2.0, 2.0]}},
        partly={"small epochs": {"epochs": [1.0, 0.1, 0.1]}, "large epochs": {"epochs": [2.5, 2.0, 2.0]}},
    ),
)
