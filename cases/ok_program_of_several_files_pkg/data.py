import numpy as np
import tensorflow as tf


def load(rows):
    x = np.random.default_rng(0).normal(size=(rows, 9)).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(rows).batch(32, drop_remainder=True).prefetch(2)
