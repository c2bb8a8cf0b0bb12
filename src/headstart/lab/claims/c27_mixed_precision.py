"""Mixed precision makes it cheaper.

## What is measured
The best of 25 steady training steps of a dense network (512 units, batch 128) in float32, in `mixed_bfloat16`
and in `mixed_float16`, on the CPU; and on a GPU where there is one.

## What happens
Mixed precision pays where the hardware multiplies 16-bit numbers faster than 32-bit ones: GPUs with tensor
cores, TPUs, a few recent CPUs. Any other CPU turns the numbers back and forth between the two, and a step takes
longer.

## What headstart does
Nothing: it is no matter of starting. `headstart profile` shows the steady step either way.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import program
from ..quantities import computed, phases

PRECISION = """\
import tensorflow as tf
from headstart.lab.arm import clock, laps, note

tf.keras.mixed_precision.set_global_policy("$policy")
with tf.device("$device"):
    dense = [tf.keras.layers.Dense(512, activation="relu") for _ in range(3)]
    model = tf.keras.Sequential([tf.keras.Input((512,)), *dense])
    x = tf.random.normal((128, 512))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.cast(model(x), tf.float32) - x))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(0.01 * gradient)
        return loss

    step()
    with clock("steps_together"):
        steps = laps(lambda: step().numpy(), 25)
note(steps=steps)
"""


def _arm(policy: str, device: str) -> Arm:
    gpu = device == "GPU"
    return Arm(
        name=f"{device} {policy}",
        program=program(PRECISION, policy=policy, device=f"/{device}:0"),
        needs="gpu" if gpu else "",
        fresh=gpu,
    )


def _contrast(policy: str, device: str) -> Contrast:
    return Contrast(
        slow=computed(f"{device} float32", "the best step in float32", lambda n: min(n["steps"])),
        fast=computed(f"{device} {policy}", f"in {policy}", lambda n: min(n["steps"])),
        holds_from=1.5,
        fails_below=1.25,
        when=f"{policy} is used on {'a GPU' if device == 'GPU' else 'this CPU'}",
        needs="gpu" if device == "GPU" else "",
    )


_POLICIES = ("mixed_bfloat16", "mixed_float16")


def _made_up(cpu: float, gpu: float) -> dict[str, dict[str, list[float]]]:
    mixed = {f"CPU {p}": {"steps": [cpu] * 25} for p in _POLICIES}
    mixed |= {f"GPU {p}": {"steps": [gpu] * 25} for p in _POLICIES}
    return {"CPU float32": {"steps": [0.01] * 25}, "GPU float32": {"steps": [0.01] * 25}, **mixed}


CLAIM = Claim(
    id="C27",
    slug="mixed-precision",
    doc=__doc__,
    documents=("003",),
    rule="when",
    arms=tuple(_arm(policy, device) for device in ("CPU", "GPU") for policy in ("float32", *_POLICIES)),
    contrasts=tuple(_contrast(policy, device) for device in ("CPU", "GPU") for policy in _POLICIES),
    twin=Twin(
        "CPU mixed_float16",
        "25 steps in mixed_float16",
        "steps_together",
        phases("steady-steps", "first-step", "eager-ops"),
    ),
    examples=Examples(holds=_made_up(0.005, 0.005), fails=_made_up(0.02, 0.02), partly=_made_up(0.02, 0.005)),
)
