"""`tf.function` reduces the ratio between the first epoch and later ones.

## What is measured
Document 001's third example (its network, one example a step, here 40 steps an epoch), eagerly and with
`tf.function`: epoch 1 over the median of two later epochs, each way.

## What happens
The opposite: a `tf.function` makes the first epoch longer (it traces) and the later ones much shorter, so their
ratio rises. It is the sum of the epochs that gets smaller, and that is what one wants. (The example as printed
does not run: `optimizer` and the data are not defined, and its loss is not reduced to a number.)

## What headstart does
`headstart profile` shows what tracing cost and how many steps it took to pay for itself.
"""

from __future__ import annotations

from ...analyse.stats import median
from ..claim import Arm, Claim, Contrast, Examples, Quantity, Twin
from ..programs import program
from ..quantities import computed, first_step

EPOCHS = """\
import tensorflow as tf
from headstart.lab.arm import clock, laps, note

model = tf.keras.Sequential([
    tf.keras.layers.Dense(128, activation='relu', input_shape=(784,)),
    tf.keras.layers.Dense(10, activation='softmax')
])
optimizer = tf.keras.optimizers.Adam()
x_train = tf.random.normal((40, 784))
y_train = tf.one_hot(tf.range(40) % 10, 10)


def train_step(images, labels):
  with tf.GradientTape() as tape:
    predictions = model(images)
    loss = tf.keras.losses.categorical_crossentropy(labels, predictions)
  gradients = tape.gradient(loss, model.trainable_variables)
  optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def epoch():
  for i in range(len(x_train)):
    train_step(x_train[i:i+1], y_train[i:i+1])


if $graph:
  train_step = tf.function(train_step)
with clock("first_step"):
  train_step(x_train[:1], y_train[:1])
note(rest=laps(epoch, 3))
"""


def _ratio(arm: str, label: str) -> Quantity:
    return computed(arm, label, lambda n: (n["first_step"] + n["rest"][0]) / median(n["rest"][1:]), unit="")


CLAIM = Claim(
    id="C14",
    slug="tf-function-reduces-the-ratio",
    doc=__doc__,
    documents=("001",),
    arms=(
        Arm(name="eager", program=program(EPOCHS, graph=False)),
        Arm(name="tf.function", program=program(EPOCHS, graph=True)),
    ),
    contrasts=(
        Contrast(
            slow=_ratio("eager", "epoch 1 over a later epoch, eagerly"),
            fast=_ratio("tf.function", "the same with tf.function"),
            holds_from=1.3,
            fails_below=1.1,
        ),
    ),
    twin=Twin("tf.function", "the first step of the tf.function", "first_step", first_step),
    examples=Examples(
        holds={
            "eager": {"first_step": 3.0, "rest": [1.0] * 4},
            "tf.function": {"first_step": 0.5, "rest": [1.0] * 4},
        },
        fails={
            "eager": {"first_step": 0.1, "rest": [1.5] * 4},
            "tf.function": {"first_step": 0.5, "rest": [0.2] * 4},
        },
    ),
)
