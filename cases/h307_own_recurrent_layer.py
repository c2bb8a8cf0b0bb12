# cause: unrolled-python-loop
import keras
import numpy as np
import tensorflow as tf


class Recurrence(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.cell = keras.layers.Dense(units, activation="tanh")
        self.units = units

    def call(self, x):
        state = tf.zeros((tf.shape(x)[0], self.units))
        outputs = []
        for t in range(x.shape[1]):  # <<<
            state = self.cell(tf.concat([x[:, t], state], axis=1))  # <<~
            outputs.append(state)  # <<~
        return tf.stack(outputs, axis=1)


model = keras.Sequential(
    [keras.Input((180, 8)), Recurrence(16), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)]
)
model.compile("adam", "mse")
x = np.random.default_rng(0).normal(size=(64, 180, 8)).astype("float32")
model.fit(x, x[:, 0, :1], epochs=3, batch_size=16, verbose=0)  # <<~
