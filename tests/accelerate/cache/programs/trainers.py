import keras
import shown
import tensorflow as tf


class Trainer:
    """Steps that are methods, as most people write them; there are two trainers."""

    def __init__(self, name, rate):
        self.model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(12, "tanh"), keras.layers.Dense(3)], name=name)
        self.optimizer = keras.optimizers.SGD(rate, momentum=0.9)
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.mean = keras.metrics.Mean()

    @tf.function
    def train_step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x, training=True))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        self.mean.update_state(loss)

    @tf.function
    def test_step(self, x, y):
        return self.loss(y, self.model(x))

    def fit(self, x, y):
        for at in range(0, 64, 8):
            self.train_step(tf.constant(x[at:at + 8]), tf.constant(y[at:at + 8]))
        print(float(self.mean.result()), float(self.test_step(tf.constant(x), tf.constant(y))))


shown.start()
x, y = shown.data()
trainers = [Trainer("one", 0.1), Trainer("two", 0.01)]
for trainer in trainers:
    trainer.fit(x, y)
trainers[0].fit(x, y)
print([t.train_step.experimental_get_tracing_count() for t in trainers])
for trainer in trainers:
    shown.end(trainer.model, trainer.optimizer.variables, trainer.mean.variables)
