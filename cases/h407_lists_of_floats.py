# cause: slow-conversion
# evidence: data kept in lists and converted for each batch
# culprit line: the line with the marker "<<<"
# fix: one array
import numpy as np
import tensorflow as tf

rows = [[float(i % 13 + j) for j in range(100)] for i in range(6000)]
w = tf.Variable(tf.zeros((100, 1)))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) - 1.0) ** 2)
    w.assign_sub(1e-5 * tape.gradient(loss, w))
    return loss


for epoch in range(4):
    for start in range(0, 6000, 1000):
        x = tf.constant(rows[start : start + 1000], tf.float32)  # <<<
        loss = step(x)
print("loss", float(loss))
