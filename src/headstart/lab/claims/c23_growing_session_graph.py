"""In graph mode, adding operations in the loop makes each iteration slower.

## What is measured
A TensorFlow 1 session in a loop of 48 iterations, where each adds a multiplication to the graph and runs it,
and where the operation was made once and the graph is finalised: the last fifth of the iterations over the
first.

## What happens
It does. Each new operation changes the graph, so the session must extend and optimise it again before it runs,
and what it runs is a chain that gets longer. Nothing of that happens in a graph that stays as it is.

## What headstart does
HS501 finds a graph that grows while the program runs, with the line that adds to it.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import early_and_late, middle, phases

LOOP = """\
import tensorflow as tf
from headstart.lab.arm import clock, laps, note

v1 = tf.compat.v1
v1.disable_eager_execution()
with tf.Graph().as_default() as graph, v1.Session() as session:
    x = tf.zeros((50, 50))
    for _ in range(200):
        x = x + 1.0
    session.run(x)

    def growing():
        global x
        for _ in range(20):
            x = x * 1.01
        session.run(x)

    if not $growing:
        graph.finalize()
    with clock("loop"):
        note(iterations=laps(growing if $growing else lambda: session.run(x), 48))
"""

_EARLY, _LATE = early_and_late("growing", "iterations", "an iteration", skip=2)

CLAIM = Claim(
    id="C23",
    slug="growing-session-graph",
    doc=__doc__,
    documents=("003",),
    arms=(
        Arm(name="growing", program=program(LOOP, growing=True)),
        Arm(name="built once", program=program(LOOP, growing=False)),
    ),
    contrasts=(
        Contrast(slow=_LATE, fast=_EARLY, holds_from=1.8, fails_below=1.3),
        Contrast(
            slow=_LATE,
            fast=middle("built once", "iterations", "an iteration of a graph that was built once", skip=2),
            holds_from=3,
            fails_below=1.5,
        ),
    ),
    twin=Twin(
        "growing",
        "48 iterations with a growing graph",
        "loop",
        phases(
            "steady-steps",
            "first-step",
            "graph-optimization",
            "model-build",
            "evaluation",
            "eager-ops",
            "tracing",
        ),
    ),
    remedy=Contrast(
        slow=_LATE,
        fast=middle("built once", "iterations", "an iteration, built once as HS501 advises", skip=2),
        holds_from=3,
        fails_below=1.5,
    ),
    examples=Examples(
        holds={
            "growing": {"iterations": [0.01 * (1 + i / 10) for i in range(60)]},
            "built once": {"iterations": [0.001] * 60},
        },
        fails={"growing": {"iterations": [0.001] * 60}, "built once": {"iterations": [0.001] * 60}},
    ),
)
