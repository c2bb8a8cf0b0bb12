"""Graphs of old traces are never freed.

## What is measured
Nine rounds in each of which a new `tf.function` of 100 operations is made, called and, in one arm, let go, in
the other kept. Memory after a collection at the end, less that after the first three rounds.

## What happens
A function that nobody holds any more is collected, and TensorFlow removes its graph from the runtime: memory
stays where it was, or nearly so. But the collection must come first, because functions and graphs hold each
other in cycles. Traces of a function that is still alive do stay, all of them: that is how a function that
retraces all the time fills the memory.

## What headstart does
HS305 finds functions that are made anew, HS301 to HS303 those that retrace.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import computed, traces_of

ROUNDS = """\
import tensorflow as tf
from headstart.lab.arm import note, resident_bytes

kept, traced, memory = [], 0, []


def round():
    def chain(x):
        global traced
        traced += 1
        for _ in range(100):
            x = tf.sin(x)
        return x

    function = tf.function(chain)
    function(tf.ones((8,)))
    if $keep:
        kept.append(function)


for _ in range(9):
    round()
    memory.append(resident_bytes())
note(memory=memory, traced=traced)
"""

CLAIM = Claim(
    id="F05",
    slug="old-graphs-stay",
    doc=__doc__,
    documents=(),
    arms=(
        Arm(name="let go", program=program(ROUNDS, keep=False)),
        Arm(name="kept", program=program(ROUNDS, keep=True)),
    ),
    contrasts=(
        Contrast(
            # Twice: were all graphs kept, this would be twice as much as where all are kept on purpose.
            slow=computed(
                "let go",
                "twice what memory grows by when functions are let go",
                lambda n: 2 * max(n["memory"][-1] - n["memory"][2], 1e5),
                "bytes",
            ),
            fast=computed(
                "kept",
                "what it grows by when they are kept",
                lambda n: max(n["memory"][-1] - n["memory"][2], 1e5),
                "bytes",
            ),
            holds_from=1.5,
            fails_below=1.1,
        ),
    ),
    twin=Twin("let go", "traces of the functions", "traced", traces_of("chain")),
    examples=Examples(
        holds={"let go": {"memory": [5e8, 5e8, 5e8, 6e8]}, "kept": {"memory": [5e8, 5e8, 5e8, 6e8]}},
        fails={"let go": {"memory": [5e8, 5e8, 5e8, 5.05e8]}, "kept": {"memory": [5e8, 5e8, 5e8, 6e8]}},
    ),
)
