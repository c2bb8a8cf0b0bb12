# fixed variant of h506_augmentation_added_each_epoch.py
import numpy as np
import tensorflow as tf

x = np.random.default_rng(0).normal(size=(3000, 16)).astype("float32")
data = tf.data.Dataset.from_tensor_slices(x).batch(20)
w = tf.Variable(tf.zeros((16, 1)))


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(batch, w) - 1.0) ** 2)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return loss


noisy = data.map(lambda b: b + tf.random.normal(tf.shape(b)) * 0.01)
for epoch in range(40):
    for batch in noisy:
        loss = step(batch)
print("loss", float(loss))
