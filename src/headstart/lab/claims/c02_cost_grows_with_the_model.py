"""The cost of the first step grows with the size of the model.

## What is measured
Training steps (`tf.function`, SGD) of dense networks with 4, 16 and 64 layers, one after the other in one
process whose device is already warm: step 1 less the median of later steps.

## What happens
Tracing runs the model's Python code and builds one node for each operation, and each optimisation pass visits
each node: the cost follows the number of operations, so it grows with the depth, and not with the width, of a
network. It does not grow faster than the network does.

## What headstart does
`headstart profile` shows nodes and seconds for each function. `headstart run` loads a stored trace in a time
that hardly depends on the model.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import AS_USUAL, HEADSTART_RUN, REMEDY_RUN, TRAIN_STEP
from ..quantities import computed, phases

DEPTHS = (
    TRAIN_STEP
    + """\
x = tf.random.normal((32, 64))
for depth in (4, 16, 64):
    model = network(depth)
    step = tf.function(training(model, tf.keras.optimizers.SGD()))
    with clock(f"first_{depth}"):
        step(x, x)
    steps = sorted(laps(lambda: step(x, x), 9))
    note(**{f"steady_{depth}": steps[4]})
"""
)


def _made_up(small: float, middle: float, large: float) -> dict[str, float]:
    steady = {"steady_4": 0.001, "steady_16": 0.002, "steady_64": 0.004}
    return {"first_4": small, "first_16": middle, "first_64": large, **steady}


_SMALL = computed("depths", "the excess of step 1 with 4 layers", lambda n: n["first_4"] - n["steady_4"])
_MIDDLE = computed("depths", "with 16 layers", lambda n: n["first_16"] - n["steady_16"])
_LARGE = computed("depths", "with 64 layers", lambda n: n["first_64"] - n["steady_64"])

CLAIM = Claim(
    id="C02",
    slug="cost-grows-with-the-model",
    doc=__doc__,
    documents=("000", "002"),
    arms=(Arm(name="depths", program=DEPTHS), AS_USUAL, HEADSTART_RUN),
    contrasts=(
        Contrast(slow=_LARGE, fast=_MIDDLE, holds_from=1.8, fails_below=1.3),
        Contrast(slow=_LARGE, fast=_SMALL, holds_from=3, fails_below=1.8),
    ),
    twin=Twin(
        "depths",
        "the first step of the 64-layer network",
        "first_64",
        phases("tracing", "graph-optimization", "optimizer-setup", "variable-init", "first-step"),
    ),
    remedy=REMEDY_RUN,
    examples=Examples(
        holds={"depths": _made_up(0.1, 0.4, 1.6)},
        fails={"depths": _made_up(0.5, 0.5, 0.5)},
    ),
)
