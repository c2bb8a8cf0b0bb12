"""What every program shows at its end: weights bit by bit, and what each random generator gives next."""

import hashlib
import random

import keras
import numpy as np
import tensorflow as tf


def start(seed=7):
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()


def data(n=64, width=8, classes=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, width)).astype("float32"), rng.integers(0, classes, n)


def bits(variables):
    for v in variables:
        value = np.asarray(v)
        named = getattr(getattr(v, "value", None), "name", "")  # TensorFlow's name for a variable of Keras
        print(getattr(v, "path", getattr(v, "name", "")), named, value.dtype, value.shape,
              hashlib.sha256(value.tobytes()).hexdigest()[:16])


def streams():
    print("python", random.random())
    print("numpy", np.random.rand())
    print("keras", keras.random.uniform((2,)).numpy().tolist())
    print("tensorflow", tf.random.uniform((2,)).numpy().tolist())
    print("names", keras.layers.Dense(1).name, keras.Sequential().name, keras.metrics.Mean().name)


def end(model, *more):
    bits(model.variables)
    if getattr(model, "optimizer", None) is not None:
        bits(model.optimizer.variables)
    for one in more:
        bits(one)
    streams()
