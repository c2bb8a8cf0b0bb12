"""A transformer of six layers, trained in a loop of one's own around a `tf.function`."""

import keras
import numpy as np
import tensorflow as tf
from _clock import Clock, steps

LAYERS, WIDTH, HEADS, WORDS, LENGTH, BATCH = 6, 64, 4, 1000, 32, 8

keras.utils.set_random_seed(0)


def block(x):
    attended = keras.layers.MultiHeadAttention(HEADS, WIDTH // HEADS, dropout=0.1)(x, x)
    x = keras.layers.LayerNormalization()(x + attended)
    inner = keras.layers.Dense(4 * WIDTH, activation="gelu")(x)
    return keras.layers.LayerNormalization()(x + keras.layers.Dense(WIDTH)(inner))


inputs = keras.Input((LENGTH,), dtype="int32")
x = keras.layers.Embedding(WORDS, WIDTH)(inputs)
for _ in range(LAYERS):
    x = block(x)
model = keras.Model(inputs, keras.layers.Dense(WORDS)(x))
optimizer = keras.optimizers.Adam(1e-3)
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def step(words, following):
    with tf.GradientTape() as tape:
        loss = loss_of(following, model(words, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


text = tf.constant(np.random.default_rng(0).integers(0, WORDS, (BATCH, LENGTH + 1)), tf.int32)
clock = Clock()
for _ in range(steps(8)):
    loss = float(step(text[:, :-1], text[:, 1:]))
    clock.tick()
print(loss)
clock.write()
