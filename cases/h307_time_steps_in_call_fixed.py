# fixed variant of h307_time_steps_in_call.py
import numpy as np
import keras
import tensorflow as tf

STEPS = 150


class Echo(keras.Model):
    def __init__(self):
        super().__init__()
        self.mix = keras.layers.Dense(16)
        self.out = keras.layers.Dense(1)

    def call(self, x):
        state = tf.zeros((tf.shape(x)[0], 16))
        for t in tf.range(STEPS):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(state, tf.TensorShape((None, 16)))])
            seen = tf.concat([x[:, t], state], axis=1)
            state = tf.tanh(self.mix(seen)) * 0.5 + state * 0.5
        return self.out(state)


model = Echo()
optimizer = keras.optimizers.SGD(0.01)
x = tf.constant(np.random.default_rng(0).normal(size=(32, STEPS, 4)), tf.float32)
model.mix.build((None, 20))
model.out.build((None, 16))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model.call(x) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


for i in range(10):
    loss = step(x)
print("loss", float(loss))
