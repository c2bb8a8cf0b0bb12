# cause: none (healthy: a generator that yields whole batches and keeps up with the steps)
import numpy as np
import tensorflow as tf

x = np.random.default_rng(0).normal(size=(10_000, 64)).astype("float32")


def batches():
    for start in range(0, len(x), 200):
        yield x[start : start + 200]


data = tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec((200, 64), tf.float32)).prefetch(2)
model = tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(256, "relu"), tf.keras.layers.Dense(64)])
model.compile("adam", "mse")
model.fit(data.map(lambda b: (b, b)), epochs=6, verbose=0)
print("done")
