"""Steps with Adam get slower over time.

## What is measured
2,000 training steps (`tf.function`) with Adam: the last fifth over the first.

## What happens
Adam does the same arithmetic in every step; its slots are as many at the end as at the beginning. (Very small
weights may become denormal numbers, which some processors compute slowly; that needs far more steps, and
TensorFlow flushes them to zero in its threads.)

## What headstart does
`headstart profile` tests the trend of the steps. HS503 reports one that grows without a cause that it knows.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import TRAIN_STEP
from ..quantities import early_and_late, phases

ADAM = (
    TRAIN_STEP
    + """\
step = tf.function(training(network(2, 32), tf.keras.optimizers.Adam()))
x = tf.random.normal((8, 32))
step(x, x)
with clock("loop"):
    steps = laps(lambda: step(x, x), 2000)
note(steps=steps)
"""
)

_EARLY, _LATE = early_and_late("adam", "steps", "a step with Adam", skip=20)

CLAIM = Claim(
    id="F03",
    slug="adam-gets-slower",
    doc=__doc__,
    documents=(),
    arms=(Arm(name="adam", program=ADAM),),
    contrasts=(Contrast(slow=_LATE, fast=_EARLY, holds_from=1.6, fails_below=1.3),),
    twin=Twin("adam", "2,000 steps", "loop", phases("steady-steps")),
    examples=Examples(
        holds={"adam": {"steps": [0.001 * (1 + i / 100) for i in range(500)]}},
        fails={"adam": {"steps": [0.001] * 500}},
    ),
)
