"""Loading trained weights is dominated by reading them from disk, and `.h5` is not the fastest format.

## What is measured
A network of 10 million weights (40 MB; in a full lab also 100 million, 400 MB), saved once in each way and then
loaded again with its file in the page cache: `load_model` of `.h5`, `.keras` and a SavedModel, `load_weights`
of `.weights.h5`, and assigning the weights from one mapped file. Beside it, reading the `.h5` file's bytes and
nothing else.

## What happens
From a warm page cache, bytes come at gigabytes a second. What takes the time is around them: the model is made
from its description, each weight is initialised only to be overwritten, copied out of the file and then copied
into the variable; `.keras` also unpacks a zip archive first. Mapping a file and assigning from it leaves one
copy.

## What headstart does
HS203 reports a slow load with its line. `headstart run` keeps weights in a file that is mapped.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import computed, noted, phases

SETUP = """\
import numpy
import tensorflow as tf


def network(layers):
    dense = [tf.keras.layers.Dense(3162) for _ in range(layers)]
    return tf.keras.Sequential([tf.keras.Input((3162,)), *dense])


model = network($layers)
model.save("model.h5")
model.save("model.keras")
model.save_weights("model.weights.h5")
tf.saved_model.save(model, "saved")
numpy.concatenate([w.ravel() for w in model.get_weights()]).tofile("flat")
"""

LOAD = """\
import random
import numpy
import tensorflow as tf
from headstart.lab.arm import clock, note


def network(layers, initializer="glorot_uniform"):
    dense = [tf.keras.layers.Dense(3162, kernel_initializer=initializer) for _ in range(layers)]
    return tf.keras.Sequential([tf.keras.Input((3162,)), *dense])


def mapped():
    model = network($layers, "zeros")
    flat = numpy.memmap("flat", dtype="float32", mode="r")
    at = 0
    for variable in model.variables:
        size = int(numpy.prod(variable.shape))
        variable.assign(flat[at : at + size].reshape(variable.shape))
        at += size
    return model


def weights_only():
    model = network($layers)
    model.load_weights("model.weights.h5")
    return model


def read():
    with open("model.h5", "rb", buffering=0) as file:
        block = bytearray(1 << 22)
        while file.readinto(block):
            pass


ways = {
    "h5": lambda: tf.keras.models.load_model("model.h5", compile=False),
    "keras": lambda: tf.keras.models.load_model("model.keras", compile=False),
    "saved": lambda: tf.saved_model.load("saved"),
    "weights": weights_only,
    "mapped": mapped,
    "read": read,
}
seconds = {name: [] for name in ways}
# Twice: what only the first load of a process pays is no way's own.
for name in random.sample(list(ways), len(ways)) + random.sample(list(ways), len(ways)):
    with clock(f"last_{name}") as each:
        ways[name]()
    seconds[name].append(each.seconds)
note(**{name: min(both) for name, both in seconds.items()})
"""


def _arm(name: str, layers: int, modes: tuple[str, ...]) -> Arm:
    return Arm(
        name=name,
        program=program(LOAD, layers=layers),
        setup=program(SETUP, layers=layers),
        needs="disk",
        modes=modes,
    )


def _format(size: str) -> Contrast:
    return Contrast(
        slow=noted(size, "h5", f"`load_model` of {size} of `.h5`"),
        fast=noted(size, "mapped", "assigning from a mapped file"),
        holds_from=2.0,
        fails_below=1.4,
        when=f"{size} of `.h5` are compared with a mapped file",
        needs="disk",
    )


def _reading(size: str) -> Contrast:
    return Contrast(
        slow=noted(size, "h5", f"`load_model` of {size} of `.h5`"),
        fast=computed(size, "that without reading the file", lambda n: n["h5"] - n["read"]),
        holds_from=2.0,
        fails_below=1.6,
        when=f"reading {size} from the page cache is meant",
        share=True,
        needs="disk",
    )


def _made_up(h5: float, mapped: float, read: float) -> dict[str, dict[str, float]]:
    notes = {"h5": h5, "mapped": mapped, "read": read}
    return {"40 MB": notes, "400 MB": notes}


CLAIM = Claim(
    id="C16",
    slug="loading-weights",
    doc=__doc__,
    documents=("002", "004"),
    rule="when",
    arms=(_arm("40 MB", 1, ("quick", "full")), _arm("400 MB", 10, ("full",))),
    contrasts=(
        _format("40 MB"),
        _reading("40 MB"),
        _format("400 MB"),
        _reading("400 MB"),
    ),
    twin=Twin(
        "40 MB", "loading the `.h5` file", "last_h5", phases("weight-loading", "variable-init", "model-build")
    ),
    remedy=Contrast(
        slow=noted("40 MB", "h5", "loading 40 MB of `.h5`"),
        fast=noted("40 MB", "mapped", "from a mapped file, as `headstart run` keeps weights"),
        holds_from=2.0,
        fails_below=1.4,
    ),
    examples=Examples(
        holds=_made_up(2.0, 0.3, 1.8), fails=_made_up(0.2, 0.3, 0.02), partly=_made_up(2.0, 0.3, 0.1)
    ),
)
