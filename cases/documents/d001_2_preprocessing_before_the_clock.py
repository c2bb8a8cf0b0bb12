# document: 001, example 2: a long preprocessing, simulated by a sleep that the example itself does not time
# expects: external-wait at line 10
import time

import numpy as np
import tensorflow as tf


def prepare(values):
    time.sleep(2)  # stands for long work
    return values


net = tf.keras.Sequential([tf.keras.layers.Dense(10)])
net.compile(optimizer="adam", loss="mse")
x = np.random.rand(1000, 10)
y = np.random.rand(1000, 1)
prepared = prepare(x)
began = time.time()
net.fit(prepared, y, epochs=1, verbose=0)
print(f"first epoch: {time.time() - began:.2f} s")
began = time.time()
net.fit(x, y, epochs=4, verbose=0)
print(f"four more: {time.time() - began:.2f} s")
