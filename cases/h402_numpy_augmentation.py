# cause: python-in-pipeline
# evidence: tensorflow/tensorflow#14480 (py_function in a map)
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: the same with TensorFlow operations
import numpy as np
import tensorflow as tf

rows = np.random.default_rng(0).random((16_000, 32)).astype("float32")


def jitter(row):
    out = np.empty_like(row)
    for i, value in enumerate(row):
        out[i] = value * 0.9 + 0.1 * row[i - 1]
    return out


def prepare(row):
    row = tf.numpy_function(jitter, [row], tf.float32)  # <<<
    return tf.ensure_shape(row, (32,))


data = tf.data.Dataset.from_tensor_slices(rows)
data = data.map(prepare, num_parallel_calls=tf.data.AUTOTUNE)  # <<~
data = data.batch(50).prefetch(2)
w = tf.Variable(tf.zeros((32, 1)))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) - 1.0) ** 2)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss


for epoch in range(2):
    for x in data:  # <<~
        loss = step(x)
print("loss", float(loss))
