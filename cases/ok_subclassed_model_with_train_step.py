# cause: none (healthy: a subclassed model with its own train_step, trained with fit, validated, predicted)
import numpy as np
import keras
import tensorflow as tf


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encode = keras.layers.Dense(8, activation="relu")
        self.decode = keras.layers.Dense(20)
        self.track = keras.metrics.Mean(name="loss")

    def call(self, x):
        return self.decode(self.encode(x))

    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - x) ** 2)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        self.track.update_state(loss)
        return {"loss": self.track.result()}


x = np.random.default_rng(0).normal(size=(2000, 20)).astype("float32")
model = Autoencoder()
model(x[:1])
model.compile("adam")
model.optimizer.build(model.trainable_variables)
data = tf.data.Dataset.from_tensor_slices(x).shuffle(2000).batch(50).prefetch(tf.data.AUTOTUNE)
model.fit(data, epochs=5, verbose=0)
print(model.predict(x, batch_size=500, verbose=0).shape)
