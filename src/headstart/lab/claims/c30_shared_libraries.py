"""Loading shared libraries is a noticeable part of start-up.

## What is measured
`import tensorflow` in a fresh process whose files are in the page cache, and the time in it that goes into
loading extension modules with their libraries (each call of the interpreter's loader is timed). Noticeable is a
twentieth.

## What happens
One load dominates: the first module that needs `libtensorflow_cc`, an object of several hundred megabytes, most
of whose loading time is relocation, the linker writing some millions of addresses. All the rest of the import
is Python: reading and running some thousand modules, and the garbage collector running meanwhile.

## What headstart does
`headstart profile` has a phase `native-libraries` and a table of libraries. `headstart run` starts from a
process that has loaded them.
"""

from __future__ import annotations

from ..claim import Claim, Contrast, Examples, Twin
from ..programs import AS_USUAL, HEADSTART_RUN, REMEDY_RUN, START
from ..quantities import computed, libraries_loaded, noted

CLAIM = Claim(
    id="C30",
    slug="shared-libraries",
    doc=__doc__,
    documents=("004",),
    arms=(START, AS_USUAL, HEADSTART_RUN),
    contrasts=(
        Contrast(
            slow=noted("start", "importing", "import tensorflow"),
            fast=computed("start", "that without loading libraries", lambda n: n["importing"] - n["loading"]),
            holds_from=1.06,
            fails_below=1.03,
            share=True,
        ),
    ),
    twin=Twin("start", "loading libraries", "loading", libraries_loaded),
    remedy=REMEDY_RUN,
    examples=Examples(
        holds={"start": {"importing": 2.4, "loading": 0.5}},
        fails={"start": {"importing": 2.4, "loading": 0.02}},
    ),
)
