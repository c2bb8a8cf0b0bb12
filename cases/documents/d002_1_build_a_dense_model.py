# document: 002, example 1: building 784 → 1024 → 10
# expects: none
import tensorflow as tf

net = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(1024, input_shape=(784,), kernel_initializer="glorot_uniform"),
        tf.keras.layers.Dense(10),
    ]
)
net.compile(optimizer="adam", loss="categorical_crossentropy")
net.build((None, 784))
