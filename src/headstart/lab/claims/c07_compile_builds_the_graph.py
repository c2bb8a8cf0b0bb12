"""`model.compile()` builds part of the graph.

## What is measured
Document 000's first example: the time in `compile()` and the time of the first batch after it. It would be part
of the graph if compiling were at least a tenth of the two together. What exists after `compile()` is counted
too: functions traced and optimizer variables made.

## What happens
`compile()` stores the optimizer, the loss and the metrics, and forgets the functions of an earlier compilation.
It traces nothing and creates no slot variables: all of that happens in the first batch of `fit`.

## What headstart does
`headstart profile` shows where tracing really happens. HS306 finds `compile()` in a loop: not because compiling
is slow, but because the next `fit` must trace again.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..quantities import computed, noted, phases

COMPILE = """\
import tensorflow as tf
from headstart.lab.arm import clock, note

model = tf.keras.Sequential([tf.keras.layers.Dense(units=1, input_shape=[1])])
x_train = tf.constant([[1.0], [2.0], [3.0]])
y_train = tf.constant([[2.0], [4.0], [6.0]])
with clock("compile"):
    model.compile(optimizer="sgd", loss="mse")
note(
    traced_after_compile=int(model.train_function is not None),
    slots_after_compile=len([v for v in model.optimizer.variables if v.name not in ("iteration", "learning_rate")]),
)
with clock("first_batch"):
    model.fit(x_train, y_train, epochs=1, verbose=0)
"""
COMPILING = Arm(name="fit", program=COMPILE)

CLAIM = Claim(
    id="C07",
    slug="compile-builds-the-graph",
    doc=__doc__,
    documents=("000",),
    arms=(COMPILING,),
    contrasts=(
        Contrast(
            slow=computed("fit", "compile() and the first batch", lambda n: n["compile"] + n["first_batch"]),
            fast=noted("fit", "first_batch", "the first batch alone"),
            holds_from=1.15,
            fails_below=1.11,
            share=True,
        ),
    ),
    twin=Twin(
        "fit",
        "the first batch",
        "first_batch",
        phases(
            "tracing",
            "graph-optimization",
            "optimizer-setup",
            "variable-init",
            "first-step",
            "data-warmup",
            "data-wait",
            "model-build",
            "steady-steps",
        ),
    ),
    examples=Examples(
        holds={"fit": {"compile": 0.4, "first_batch": 0.5}},
        fails={"fit": {"compile": 0.01, "first_batch": 0.5}},
    ),
)
