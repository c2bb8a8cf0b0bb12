"""Objects go when the program lets go of them, whoever has looked at them."""

import gc
import weakref

import keras
import numpy as np
import shown
import tensorflow as tf

shown.start()
x, y = shown.data()


class Holder:
    def __init__(self):
        self.scale = 2.0
        self.values = np.ones(1000)


def trained():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4), keras.layers.Dense(3, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    print(model.fit(x, y, batch_size=16, epochs=2, verbose=0).history)
    return weakref.ref(model), weakref.ref(model.layers[0])


def called():
    holder, variable = Holder(), tf.Variable(tf.ones((3,)))

    @tf.function
    def function(v):
        return v * holder.scale * tf.reduce_sum(variable)

    print(function(tf.constant([1.0, 2.0])).numpy().tolist(), function(tf.constant([3.0])).numpy().tolist())
    return weakref.ref(holder), weakref.ref(variable), weakref.ref(function)


references = [*trained(), *called()]
for _ in range(3):
    gc.collect()
print([reference() is None for reference in references])
shown.streams()
