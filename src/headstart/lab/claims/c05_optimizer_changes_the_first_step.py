"""The choice of optimizer changes the overhead of the first step.

## What is measured
The first training step of one 6-layer dense network with SGD, with SGD and momentum, and with Adam; its excess
over the later steps. The three are in one process whose device is warm, in an order that changes from run to
run.

## What happens
Plain SGD keeps nothing but its step counter. Momentum needs one more variable for each weight and Adam two;
they are created in the first step, each by an operation of its own, and then traced again because the first
trace created variables. The update itself also has more operations to trace.

## What headstart does
`headstart profile` shows the phase `optimizer-setup` and reports HS315 when the step was traced twice because
of it; the mend is one line, `optimizer.build(model.trainable_variables)` before the first step.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import TRAIN_STEP
from ..quantities import computed, phases

OPTIMIZERS = (
    TRAIN_STEP
    + """\
import random

x = tf.random.normal((32, 64))
kinds = {
    "sgd": lambda: tf.keras.optimizers.SGD(),
    "momentum": lambda: tf.keras.optimizers.SGD(momentum=0.9),
    "adam": lambda: tf.keras.optimizers.Adam(),
}
# What the very first step of a process pays for all later ones is nobody's.
tf.function(training(network(2), kinds["adam"]()))(x, x)
for kind in random.sample(list(kinds), len(kinds)):
    step = tf.function(training(network(6), kinds[kind]()))
    with clock(f"first_{kind}"):
        step(x, x)
    note(**{f"steady_{kind}": sorted(laps(lambda: step(x, x), 9))[4]})
"""
)

_SGD = computed("optimizers", "the excess of step 1 with SGD", lambda n: n["first_sgd"] - n["steady_sgd"])
_MOMENTUM = computed("optimizers", "with momentum", lambda n: n["first_momentum"] - n["steady_momentum"])
_ADAM = computed("optimizers", "with Adam", lambda n: n["first_adam"] - n["steady_adam"])


def _made_up(sgd: float, momentum: float, adam: float) -> dict[str, float]:
    steady = {"steady_sgd": 0.001, "steady_momentum": 0.001, "steady_adam": 0.001}
    return {"first_sgd": sgd, "first_momentum": momentum, "first_adam": adam, **steady}


CLAIM = Claim(
    id="C05",
    slug="optimizer-changes-the-first-step",
    doc=__doc__,
    documents=("000",),
    arms=(Arm(name="optimizers", program=OPTIMIZERS),),
    contrasts=(
        Contrast(slow=_ADAM, fast=_SGD, holds_from=1.4, fails_below=1.15),
        Contrast(slow=_MOMENTUM, fast=_SGD, holds_from=1.3, fails_below=1.1),
    ),
    twin=Twin(
        "optimizers",
        "the first step with Adam",
        "first_adam",
        phases("tracing", "graph-optimization", "optimizer-setup", "variable-init", "first-step"),
    ),
    examples=Examples(
        holds={"optimizers": _made_up(0.4, 0.9, 1.2)},
        fails={"optimizers": _made_up(0.4, 0.4, 0.41)},
    ),
)
