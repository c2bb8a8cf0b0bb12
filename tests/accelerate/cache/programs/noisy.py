"""Code of the program's that is run while its model is traced, and that shows how often that was."""

import keras
import shown
import tensorflow as tf
from keras import layers

calls = []


class Noisy(layers.Layer):
    def call(self, x):
        calls.append(self.name)
        print("called", len(calls))
        return x * 2.0


def activation(x):
    print("activated")
    return x


shown.start()
x, y = shown.data()
inputs = keras.Input((8,))
models = [
    keras.Model(inputs, layers.Dense(3, "softmax")(Noisy()(inputs))),
    keras.Sequential([layers.Dense(8), Noisy(), layers.Dense(3, "softmax")]),
    keras.Sequential([layers.Dense(8, activation), layers.Dense(3, "softmax")]),
    keras.Sequential([layers.Dense(8), layers.Lambda(lambda x: print("lambda") or x), layers.Dense(3, "softmax")]),
]
for model in models:
    model.compile("adam", "sparse_categorical_crossentropy")
    print(model.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
    shown.end(model)


def loss(y_true, y_pred):
    print("lost")
    return keras.losses.sparse_categorical_crossentropy(y_true, y_pred)


model = keras.Sequential([keras.Input((8,)), layers.Dense(3, "softmax")])
model.compile("adam", loss)
print(model.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
print(calls)


# Counted on the model itself, which is built while it is traced.
class Counting(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(3, "softmax")
        self.calls = 0
        self.shapes = []

    def call(self, x):
        self.calls += 1
        self.shapes.append(str(x.shape))
        return self.dense(x)


class CountingBuild(keras.Model):
    builds = 0

    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(3, "softmax")

    def build(self, shape):
        CountingBuild.builds += 1
        self.dense.build(shape)

    def call(self, x):
        return self.dense(x)


for model in (Counting(), CountingBuild()):
    model.compile("adam", "sparse_categorical_crossentropy")
    print(model.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
    print(getattr(model, "calls", None), getattr(model, "shapes", None), CountingBuild.builds)
    shown.end(model)

model, optimizer = Counting(), keras.optimizers.SGD(0.1, momentum=0.5)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        value = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, model(x)))
    optimizer.apply_gradients(zip(tape.gradient(value, model.trainable_variables), model.trainable_variables))
    return value


print([float(step(tf.constant(x[:8]), tf.constant(y[:8]))) for _ in range(3)], model.calls, model.shapes)
shown.end(model)
