# cause: growing-step-time
# evidence: priorities recomputed over the whole replay memory
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: a bounded memory
import numpy as np
import tensorflow as tf

w = tf.Variable(tf.zeros((8, 1)))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) - 1.0) ** 2)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return loss


rng = np.random.default_rng(0)
memory = []
for i in range(500):
    memory.extend(rng.normal(size=(60, 8)).tolist())
    memory.sort(key=lambda row: -abs(sum(row)))  # <<<
    loss = step(tf.constant(np.array(memory[:32]), tf.float32))  # <<~
print("loss", float(loss))
