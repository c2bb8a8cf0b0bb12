"""Losses that layers add when they are called: what a trace leaves of them on the layers is counted by the next one."""

import keras
import shown
import tensorflow as tf
from keras import layers

shown.start()
x, y = shown.data()
inputs = keras.Input((8,))
hidden = layers.Dense(4, "relu", activity_regularizer=keras.regularizers.L1(0.01))(inputs)
sparse = keras.Model(inputs, layers.Dense(8)(hidden))
sparse.compile("adam", "mse")
for _ in range(2):  # the second time, there are some from before
    sparse.compile("adam", "mse")
    print(sparse.fit(x, x, batch_size=16, epochs=2, verbose=0, validation_split=0.25).history, sparse.losses)
    print(float(tf.reduce_sum(sparse.predict(x, verbose=0))), sparse.losses)
shown.bits(sparse.variables)


class Penalty(layers.Layer):
    def call(self, inputs, training=False):
        self.add_loss(0.1 * tf.reduce_mean(tf.square(inputs)))
        if training:
            self.add_loss(0.01 * tf.reduce_sum(tf.abs(inputs)))
        return inputs


class Counting(keras.Model):
    """Its step depends on what the last one has left."""

    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(4)
        self.penalty = Penalty()

    def train_step(self, data):
        before = len(self.losses)
        with tf.GradientTape() as tape:
            out = self.penalty(self.dense(data), training=True)
            loss = tf.reduce_mean(out) + (1 + before) * sum(self.losses)
        weights = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return {"loss": loss, "before": tf.constant(before)}


model = Counting()
model.compile("sgd")
for _ in range(2):
    print(model.fit(x, batch_size=16, epochs=2, verbose=0).history, model.losses)
    model.make_train_function(force=True)
print(float(sum(model.penalty(x) for _ in range(2))[0, 0]), [float(loss) for loss in model.losses])


@tf.function
def outer(batch):
    sparse(batch)
    return inner(batch)


@tf.function
def inner(batch):
    return tf.reduce_sum(batch) + tf.add_n(sparse.losses)


fresh = keras.models.clone_model(sparse)


@tf.function
def through(batch):
    before = len(fresh.losses)
    return tf.reduce_sum(fresh(batch)) * (1 + before)


print(len(fresh.losses), float(through(tf.constant(x))), fresh.losses)
with tf.GradientTape() as tape:  # for this it is traced after all, as it was when none were left
    result = through(tf.constant(x))
print(float(result), float(tape.gradient(result, fresh.trainable_variables)[-1][0]), fresh.losses)
print(float(outer(tf.constant(x))), float(outer(tf.constant(x[:3]))))
shown.end(model)
