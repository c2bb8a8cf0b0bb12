"""`compile()` is the slow part.

## What is measured
Document 000's first example: the time in `compile()` against the time of the first batch.

## What happens
The name misleads: `compile()` compiles nothing. It takes milliseconds, and the tracing that people mean happens
in the first batch of `fit`, which is where the silence is.

## What headstart does
`headstart profile` and its Keras callback show where the time before the first step goes.
"""

from __future__ import annotations

from ..claim import Claim, Contrast, Examples, Twin
from ..quantities import noted, phases
from .c07_compile_builds_the_graph import COMPILING

CLAIM = Claim(
    id="F08",
    slug="compile-is-the-slow-part",
    doc=__doc__,
    documents=(),
    arms=(COMPILING,),
    contrasts=(
        Contrast(
            slow=noted("fit", "compile", "compile()"),
            fast=noted("fit", "first_batch", "the first batch"),
            holds_from=1.5,
            fails_below=1.05,
        ),
    ),
    twin=Twin("fit", "compile()", "compile", phases("model-build", "optimizer-setup", "variable-init")),
    examples=Examples(
        holds={"fit": {"compile": 2.0, "first_batch": 0.5}},
        fails={"fit": {"compile": 0.01, "first_batch": 0.5}},
    ),
)
