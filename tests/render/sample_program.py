import numpy as np
import tensorflow as tf


@tf.function
def train_step(batch, step):
    return tf.reduce_sum(batch) * step


for step in range(12):
    train_step(np.ones(3), step)
