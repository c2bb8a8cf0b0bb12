"""Document 001's second example shows the cost of preprocessing in the first epoch.

## What is measured
The example as it is written, with its two seconds of preprocessing, and the example with the preprocessing
taken out: the time that each prints for its first epoch. If the example showed the cost of preprocessing, the
first would be much longer. Beside it, what the example would have printed had its clock been started before
preprocessing.

## What happens
The example calls `preprocess` *before* it starts its clock. The two seconds are not in what it prints; the long
"first epoch" that it does print is tracing, and is the same without any preprocessing.

## What headstart does
`headstart profile` needs no clock in the program: the two seconds are there as `user-code`, outside any step.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import noted, phases

EXAMPLE = """\
import tensorflow as tf
import time
import numpy as np
from headstart.lab.arm import clock, note

def preprocess(data):
    time.sleep($pause)
    return data

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.compile(optimizer='adam', loss='mse')
x_train = np.random.rand(1000, 10)
y_train = np.random.rand(1000, 1)

with clock("preprocessing"):
    x_train_preprocessed = preprocess(x_train)

start_time = time.time()
model.fit(x_train_preprocessed, y_train, epochs=1, verbose=0)
end_time = time.time()
note(printed_first=end_time - start_time)

start_time = time.time()
model.fit(x_train, y_train, epochs=4, verbose=0)
end_time = time.time()
note(printed_later=end_time - start_time)
"""

CLAIM = Claim(
    id="C12",
    slug="example-shows-preprocessing",
    doc=__doc__,
    documents=("001",),
    arms=(
        Arm(name="as written", program=program(EXAMPLE, pause=2)),
        Arm(name="without preprocessing", program=program(EXAMPLE, pause=0)),
    ),
    contrasts=(
        Contrast(
            slow=noted("as written", "printed_first", "what the example prints for its first epoch"),
            fast=noted("without preprocessing", "printed_first", "what it prints without its preprocessing"),
            holds_from=2.0,
            fails_below=1.5,
        ),
    ),
    fewest=3,
    twin=Twin("as written", "the preprocessing", "preprocessing", phases("user-code", "external-wait")),
    examples=Examples(
        holds={
            "as written": {"printed_first": 2.6, "preprocessing": 2.0, "printed_later": 0.4},
            "without preprocessing": {"printed_first": 0.6, "preprocessing": 0.0, "printed_later": 0.4},
        },
        fails={
            "as written": {"printed_first": 0.6, "preprocessing": 2.0, "printed_later": 0.4},
            "without preprocessing": {"printed_first": 0.6, "preprocessing": 0.0, "printed_later": 0.4},
        },
    ),
)
