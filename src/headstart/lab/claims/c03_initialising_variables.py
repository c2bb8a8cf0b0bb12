"""Initialising the variables is a significant part of a start, and depends on the initialiser.

## What is measured
Networks of dense layers (1000×1000, or 3162×3162 for the largest) with 1, 25 and 100 million weights are built
with zeros, with Glorot's uniform initialiser (Keras' default) and with an orthogonal one (up to 10 million
weights, in a full lab 25 million); the better of two builds in a process. "A significant part of a start" means
that `import tensorflow` and building together take noticeably longer than with zeros.

## What happens
A uniform random number costs a few nanoseconds, so a model must have tens of millions of weights before Keras'
default initialiser is felt beside everything else that a start does. An orthogonal initialiser factorises a
matrix for each layer: that is hundreds of times the work, and is felt at once.

## What headstart does
`headstart profile` has a phase `variable-init` and a table of initialisers; HS201 names a costly one at its
line, HS202 one whose result is overwritten by loaded weights.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import START, program
from ..quantities import noted, phases, summed

BUILD = """\
import tensorflow as tf
from headstart.lab.arm import clock, note


def build(layers, units, initializer):
    dense = [tf.keras.layers.Dense(units, kernel_initializer=initializer) for _ in range(layers)]
    return tf.keras.Sequential([tf.keras.Input((units,)), *dense])


build(1, 100, "$initializer")  # so that the device is ready, and the initialiser has been used once
seconds = []
for _ in range(2):
    with clock("last_build") as each:
        build($layers, $units, "$initializer")
    seconds.append(each.seconds)
note(build=min(seconds))
"""


def building(initializer: str, millions: int, modes: tuple[str, ...] = ("quick", "full")) -> Arm:
    """An arm that builds so many million weights; another claim builds them too."""
    layers, units = (10, 3162) if millions == 100 else (millions, 1000)
    text = program(BUILD, initializer=initializer, layers=layers, units=units)
    return Arm(name=f"{initializer} {millions}", program=text, modes=modes)


IMPORTING = noted("start", "importing", "import tensorflow")


def _contrast(initializer: str, millions: int, when: str) -> Contrast:
    return Contrast(
        slow=summed(
            noted(f"{initializer} {millions}", "build", ""), IMPORTING, f"import and build with {initializer}"
        ),
        fast=summed(noted(f"zeros {millions}", "build", ""), IMPORTING, "with zeros"),
        holds_from=1.1,
        fails_below=1.06,
        when=when,
        share=True,
    )


def _made_up(large: float, orthogonal: float) -> dict[str, dict[str, float]]:
    builds = {
        "zeros 1": 0.02,
        "glorot_uniform 1": 0.03,
        "zeros 10": 0.1,
        "orthogonal 10": orthogonal,
        "zeros 100": 0.3,
        "glorot_uniform 100": large,
    }
    return {"start": {"importing": 2.0}, **{arm: {"build": seconds} for arm, seconds in builds.items()}}


CLAIM = Claim(
    id="C03",
    slug="initialising-variables",
    doc=__doc__,
    documents=("000", "001", "002"),
    rule="when",
    arms=(
        START,
        building("zeros", 1),
        building("glorot_uniform", 1),
        building("zeros", 10),
        building("orthogonal", 10),
        building("zeros", 25, ("full",)),
        building("glorot_uniform", 25, ("full",)),
        building("orthogonal", 25, ("full",)),
        building("zeros", 100),
        building("glorot_uniform", 100),
    ),
    contrasts=(
        _contrast("glorot_uniform", 100, "100 million weights are drawn with Glorot's initialiser"),
        _contrast("orthogonal", 10, "10 million weights are drawn with an orthogonal one"),
        _contrast("glorot_uniform", 1, "1 million weights are drawn with Glorot's"),
    ),
    twin=Twin(
        "glorot_uniform 100",
        "building 100 million weights",
        "last_build",
        phases("model-build", "variable-init"),
    ),
    examples=Examples(
        holds={**_made_up(0.9, 3.0), "glorot_uniform 1": {"build": 0.6}},
        fails=_made_up(0.32, 0.12),
        partly=_made_up(0.9, 3.0),
    ),
)
