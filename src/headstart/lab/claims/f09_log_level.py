"""A lower log level speeds up the start.

## What is measured
`import tensorflow` and a first operation in fresh processes, with `TF_CPP_MIN_LOG_LEVEL` 0 and 3. A quarter
less would be faster.

## What happens
The level decides whether a dozen lines are written, which takes less than a millisecond. Nothing else depends
on it.

## What headstart does
Nothing: set the level for quiet, not for speed.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import noted, wall

START = """\
import tensorflow as tf
from headstart.lab.arm import note, process_age

tf.constant(1.0) + 1.0
note(started=process_age())
"""

CLAIM = Claim(
    id="F09",
    slug="log-level",
    doc=__doc__,
    documents=(),
    arms=(
        Arm(name="level 0", program=START, fresh=True, environ={"TF_CPP_MIN_LOG_LEVEL": "0"}),
        Arm(name="level 3", program=START, fresh=True, environ={"TF_CPP_MIN_LOG_LEVEL": "3"}),
    ),
    contrasts=(
        Contrast(
            slow=noted("level 0", "started", "import and first operation at level 0"),
            fast=noted("level 3", "started", "at level 3"),
            holds_from=1.4,
            fails_below=1.25,
        ),
    ),
    fewest=3,
    twin=Twin("level 0", "the whole program", "process_seconds", wall),
    examples=Examples(
        holds={"level 0": {"started": 4.0}, "level 3": {"started": 2.0}},
        fails={"level 0": {"started": 2.0}, "level 3": {"started": 2.0}},
    ),
)
