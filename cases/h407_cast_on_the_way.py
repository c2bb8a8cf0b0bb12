# cause: slow-conversion
# evidence: float64 arrays handed to float32 models
# culprit line: the line with the marker "<<<"
# fix: cast with NumPy first
import numpy as np
import tensorflow as tf

signal = np.random.default_rng(0).normal(size=(200_000, 400))
x = tf.constant(signal, tf.float32)  # <<<
energy = tf.function(lambda batch: tf.reduce_mean(batch * batch))
for i in range(50):
    out = energy(x[i * 100 : i * 100 + 100])
print(float(out))
