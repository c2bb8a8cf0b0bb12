"""`model.build` of a 784→1024→10 network is slow.

## What is measured
Document 002's first example from process start to its first step: the seconds of `import tensorflow`, of
making, compiling and building the model, and of the first step. Building would be slow if it were at least a
fifth of the whole.

## What happens
The network has 814,090 weights, which are drawn in a few milliseconds. Importing TensorFlow takes tens of times
as long. (With `input_shape` given, Keras builds the layers when they are added; `model.build` itself finds
nothing left to do. All of it is counted here.)

## What headstart does
`headstart profile` shows `model-build` and `variable-init` beside `imports`: on most programs the import is
what to look at, and `headstart run` removes it.
"""

from __future__ import annotations

from ..claim import Claim, Contrast, Examples, Twin
from ..programs import AS_USUAL, HEADSTART_RUN, REMEDY_RUN, START
from ..quantities import computed, phases

CLAIM = Claim(
    id="C15",
    slug="building-a-small-network",
    doc=__doc__,
    documents=("002",),
    arms=(START, AS_USUAL, HEADSTART_RUN),
    contrasts=(
        Contrast(
            slow=computed(
                "start",
                "import, build and first step",
                lambda n: n["importing"] + n["building"] + n["first_step"],
            ),
            fast=computed("start", "that without building", lambda n: n["importing"] + n["first_step"]),
            holds_from=1.25,
            fails_below=1.15,
            share=True,
        ),
    ),
    twin=Twin(
        "start",
        "importing TensorFlow",
        "importing",
        phases("imports", "native-libraries"),
    ),
    remedy=REMEDY_RUN,
    examples=Examples(
        holds={"start": {"importing": 2.0, "building": 3.0, "first_step": 0.5}},
        fails={"start": {"importing": 2.0, "building": 0.05, "first_step": 0.5}},
    ),
)
