# document: 001, example 3: one row at a time through a tf.function
# repaired: model, optimizer and data, which the text leaves out, are those of its first example
# expects: none
import time

import tensorflow as tf


@tf.function
def improve(images, labels):
    with tf.GradientTape() as tape:
        error = tf.keras.losses.categorical_crossentropy(labels, net(images))
    rule.apply_gradients(zip(tape.gradient(error, net.trainable_variables), net.trainable_variables))


net = tf.keras.Sequential(  # repaired
    [tf.keras.layers.Dense(128, activation="relu", input_shape=(784,)), tf.keras.layers.Dense(10, activation="softmax")]
)
rule = tf.keras.optimizers.Adam()
images = tf.random.normal((1000, 784))  # repaired
labels = tf.random.uniform((1000, 10), maxval=1, dtype=tf.int32)  # repaired
for name, epochs in (("first epoch", 1), ("four more", 4)):
    began = time.time()
    for epoch in range(epochs):
        for i in range(len(images)):
            improve(images[i : i + 1], labels[i : i + 1])
    print(f"{name}: {time.time() - began:.2f} s")
