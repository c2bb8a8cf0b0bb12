"""Graph-optimisation flags (constant folding, common subexpressions …) pay for themselves.

## What is measured
A training step of a usual network, and a function that is written wastefully (it transposes a matrix back and
forth), each with TensorFlow's graph optimiser as it is (on) and switched off: the first call, and the time of
1,000 steps made from it and the steady step.

## What happens
The optimiser is on without any flag. It costs time at the first call, in proportion to the graph. A network as
Keras makes it leaves it little to remove, so what it saves in a step is small; a function that undoes what it
has done gains much. `headstart lab C28 --json` has the step from which on it pays.

## What headstart does
`headstart profile` shows the phase `graph-optimization`; `headstart run` keeps optimised graphs, so that they
are paid for once.
"""

from __future__ import annotations

from ...analyse.stats import median
from ..claim import Arm, Claim, Contrast, Examples, Notes, Quantity, Twin
from ..programs import TRAIN_STEP, program
from ..quantities import computed, phases

OPTIMISER = (
    TRAIN_STEP
    + """\
if not $on:
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
x = tf.random.normal((64, 64))
table = tf.random.normal((800, 800))


def wasteful(x):
    turned = table
    for _ in range(20):
        turned = tf.transpose(tf.transpose(turned))
    return tf.reduce_sum(turned[0]) + tf.reduce_sum(x)


if $wasteful:
    step = tf.function(wasteful)
    call = lambda: step(x).numpy()
else:
    step = tf.function(training(network(6), tf.keras.optimizers.SGD()))
    call = lambda: step(x, x).numpy()
with clock("first"):
    call()
note(steps=laps(call, 60))
"""
)


def _arm(kind: str, on: bool) -> Arm:
    name = f"{kind}, optimiser {'on' if on else 'off'}"
    return Arm(name=name, program=program(OPTIMISER, on=on, wasteful=kind == "wasteful"))


def _thousand(notes: Notes) -> float:
    return float(notes["first"] + 999 * median(notes["steps"][10:]))


def _side(kind: str, on: bool) -> Quantity:
    label = f"1,000 steps with the optimiser {'on' if on else 'off'}"
    return computed(_arm(kind, on).name, label, _thousand)


def _contrast(kind: str, when: str) -> Contrast:
    return Contrast(
        slow=_side(kind, False), fast=_side(kind, True), holds_from=1.5, fails_below=1.25, when=when
    )


def _made_up(usual: float, wasteful: float) -> dict[str, dict[str, object]]:
    steps = {"usual": usual, "wasteful": wasteful}
    return {
        _arm(kind, on).name: {"first": 0.3, "steps": [0.001 if on else steps[kind]] * 60}
        for kind in steps
        for on in (True, False)
    }


CLAIM = Claim(
    id="C28",
    slug="graph-optimisation-pays",
    doc=__doc__,
    documents=("003",),
    rule="when",
    arms=tuple(_arm(kind, on) for kind in ("wasteful", "usual") for on in (True, False)),
    contrasts=(
        _contrast("wasteful", "a function does things that cancel out"),
        _contrast("usual", "the step is a usual network's"),
    ),
    twin=Twin(
        "usual, optimiser on",
        "the first step with the optimiser on",
        "first",
        phases("tracing", "graph-optimization", "first-step", "optimizer-setup", "variable-init"),
    ),
    examples=Examples(
        holds=_made_up(0.002, 0.02), fails=_made_up(0.001, 0.001), partly=_made_up(0.001, 0.02)
    ),
)
