# document: 001, example 1: the first epoch timed beside four more
# expects: none
import time

import tensorflow as tf

net = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(128, activation="relu", input_shape=(784,)),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)
net.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
images = tf.random.normal((1000, 784))
labels = tf.random.uniform((1000, 10), maxval=1, dtype=tf.int32)
began = time.time()
net.fit(images, labels, epochs=1, verbose=0)
print(f"first epoch: {time.time() - began:.2f} s")
began = time.time()
net.fit(images, labels, epochs=4, verbose=0)
print(f"four more: {time.time() - began:.2f} s")
