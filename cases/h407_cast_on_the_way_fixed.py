# fixed variant of h407_cast_on_the_way.py
import numpy as np
import tensorflow as tf

signal = np.random.default_rng(0).normal(size=(200_000, 400))
signal = signal.astype("float32")
x = tf.constant(signal, tf.float32)
energy = tf.function(lambda batch: tf.reduce_mean(batch * batch))
for i in range(50):
    out = energy(x[i * 100 : i * 100 + 100])
print(float(out))
