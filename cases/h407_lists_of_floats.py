# cause: slow-conversion
# evidence: tables kept as lists of lists and handed to tf.data
# culprit line: the line with the marker "<<<"
# fix: one array
import numpy as np
import tensorflow as tf

rows = [[float(i % 13 + j) for j in range(100)] for i in range(20_000)]
data = tf.data.Dataset.from_tensor_slices(rows)  # <<<
data = data.batch(500).prefetch(2)
w = tf.Variable(tf.zeros((100, 1)))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) - 1.0) ** 2)
    w.assign_sub(1e-5 * tape.gradient(loss, w))
    return loss


for x in data:
    loss = step(x)
print("loss", float(loss))
