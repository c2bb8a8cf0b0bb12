"""A transformer that is built by its first step: its layers draw the seeds of their weights while it is traced."""

import random

import keras
import numpy as np
import shown
import tensorflow as tf

shown.start()


class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.attention = keras.layers.MultiHeadAttention(2, 4)
        self.norm = keras.layers.LayerNormalization()

    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="random_normal")
        self.shift = np.random.rand()
        super().build(shape)

    def call(self, x):
        return self.norm(x + self.attention(x, x)) * self.scale + self.shift


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = keras.layers.Embedding(20, 8)
        self.blocks = [Block() for _ in range(2)]
        self.head = keras.layers.Dense(20)

    def call(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


model = Model()
optimizer = keras.optimizers.Adam(0.01)
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(y, model(x))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


class Noise(keras.layers.Layer):
    """Draws when it is built, and is made anew in each trace: building ahead cannot know of it."""

    def build(self, shape):
        self.shift = random.random()

    def call(self, x):
        return x + self.shift


@tf.function
def disturbed(x):
    return Noise()(x)


x = np.random.randint(0, 20, (4, 6))
for _ in range(3):
    print(float(step(tf.constant(x), tf.constant(x))))
print(disturbed(tf.ones((2,))).numpy().tolist())
shown.end(model, optimizer.variables)
