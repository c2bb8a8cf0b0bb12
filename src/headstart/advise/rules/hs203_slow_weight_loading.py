"""Loading weights takes much longer than reading them.

## What it does
Finds loads that take far longer than their bytes need: whole models rebuilt from a file for their weights,
text formats, formats that are decompressed or read piece by piece.

## Why it costs
`load_model` of a `.keras` file rebuilds every layer, runs every initialiser and then reads the weights out
of a zip archive: 1.9 s for 400 MB of weights that `load_weights` brings in in 0.3 s and a mapped file in
0.07 s.

## Use instead
Build the model in code and `load_weights` a `.weights.h5` file, or keep the arrays in an `.npy` file and
map it (`np.load(path, mmap_mode="r")`). `headstart run` keeps loaded weights mapped between runs.

## Fix safety
No automatic fix: the other format must be written first.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import signals as s
from ..draft import Draft
from ..evidence.spans import total_seconds, within
from ..evidence.words import file_name, secs, size
from ..rule import Rule

_BYTES_PER_SECOND = 1e9
_AS_ADVISED = ".weights.h5"
"""With `load_weights`, what is advised already: a slow disk or a busy machine is not the program's fault."""
_OTHER_FORMAT = "Build the model in code and load_weights a .weights.h5 file; `headstart run` keeps loaded weights mapped."
_PLAIN = '`headstart run` keeps loaded weights mapped; by hand: an .npy file, np.load(path, mmap_mode="r"), assign.'


def detect(run: Analysis) -> Iterable[Draft]:
    seen: set[str] = set()
    for load in run.spans(s.LOAD):
        path = str(load.attrs.get("path") or "")
        if load.site is None or not path or path in seen:
            continue
        seen.add(path)  # the same file again is another rule's
        count = int(load.attrs.get("bytes") or 0)
        inside = within(run.spans(s.MODEL_BUILD), load.start_ns, load.end_ns)
        variables = within(run.spans(s.VARIABLE_INIT), load.start_ns, load.end_ns)
        # Layers must be built in any case; initial values that the file replaces need not be.
        built = max(0.0, total_seconds(inside) - total_seconds(variables))
        lost = load.seconds - built - count / _BYTES_PER_SECOND
        if lost < 0.5:
            continue
        plain = load.name == "load_weights" and path.endswith(_AS_ADVISED)
        wasted = total_seconds(variables)
        extra = f", {secs(wasted)} of it initialising what the file replaces" if wasted > 0.1 else ""
        yield Draft(
            title=f"{load.name} took {secs(load.seconds)} for the {size(count)} of {file_name(path)}{extra}",
            file=load.site[0],
            line=load.site[1],
            seconds=lost,
            confidence="medium" if lost >= 1 and lost >= 0.1 * run.wall_seconds and not plain else "low",
            advice=_PLAIN if plain else _OTHER_FORMAT,
            claims=((load.start_ns, load.end_ns),),
            details={"path": path, "bytes": count, "seconds": load.seconds},
        )


BAD = """\
import os
import tempfile

import keras

folder = tempfile.mkdtemp()


def build():
    dense = keras.layers.Dense(11000, kernel_initializer="zeros")
    return keras.Sequential([keras.Input((11000,)), dense])


build().save(os.path.join(folder, "model.keras"))
model = keras.models.load_model(os.path.join(folder, "model.keras"))
print(model.count_params())
"""

GOOD = """\
import os
import tempfile

import keras

folder = tempfile.mkdtemp()


def build():
    dense = keras.layers.Dense(11000, kernel_initializer="zeros")
    return keras.Sequential([keras.Input((11000,)), dense])


build().save_weights(os.path.join(folder, "model.weights.h5"))
model = build()
model.load_weights(os.path.join(folder, "model.weights.h5"))
print(model.count_params())
"""

RULE = Rule(
    code="HS203",
    slug="slow-weight-loading",
    doc=__doc__,
    symptoms=("load_model is slow", "loading h5 weights takes long", "SavedModel loading slow"),
    threshold=(
        "0.5 s more than reading the file at 1 GB/s (half of what a page-cached read reaches): a load "
        "that is bound by its bytes has nothing to mend."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
