"""Models that nobody has told the shape of their input: `fit` builds them while it traces."""

import keras
import shown
import tensorflow as tf
from keras import layers

shown.start()
x, y = shown.data()


def fit(model, *given, **options):
    model.compile(keras.optimizers.Adam(1e-2), "sparse_categorical_crossentropy", metrics=["accuracy"])
    print(model.fit(*given or (x, y), batch_size=8, epochs=3, verbose=0, **options).history)
    shown.end(model)
    print([layer.name for layer in model.layers], model.inputs, model.outputs)
    print([(layer.path, layer._parent_path, layer.get_build_config()) for layer in (model, *model._flatten_layers())])
    model.summary()


fit(keras.Sequential([layers.Dense(8, "relu"), layers.Dropout(0.5), layers.Dense(3, "softmax")]))
inside = keras.Sequential([layers.Dense(6), layers.LayerNormalization()])
fit(keras.Sequential([
    layers.Reshape((2, 4, 1)), layers.Conv2D(4, 2, activation="relu", kernel_regularizer="l2"), layers.BatchNormalization(),
    layers.Flatten(), inside, layers.Dense(3, "softmax", kernel_initializer=keras.initializers.HeNormal(seed=3)),
]), x, y, validation_data=(x[:16], y[:16]))
fit(keras.Sequential([
    layers.Rescaling(2.0), layers.Reshape((4, 2)), layers.Bidirectional(layers.LSTM(5)), layers.Dense(3, "softmax"),
]))

# Built by evaluating it, and trained afterwards.
model = keras.Sequential([layers.Dense(4, "relu"), layers.Dense(3, "softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
print(model.evaluate(x, y, verbose=0))
fit(model)


class Rivals(keras.Model):
    """Two models that its step builds: the first is called twice before, and the second's name is in use by then."""

    def __init__(self):
        super().__init__()
        self.maker = keras.Sequential([layers.Dense(8, "relu"), layers.Dense(8)], name="net")
        self.judge = keras.Sequential([layers.Dense(8), layers.Dropout(0.3), layers.Dense(1)], name="net_1")
        self.seeds = keras.random.SeedGenerator(3)

    def train_step(self, data):
        real, _ = data
        noise = keras.random.normal(keras.ops.shape(real), seed=self.seeds)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.judge(self.maker(noise), training=True)) - tf.reduce_mean(self.judge(real, training=True))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


rivals = Rivals()
rivals.compile(keras.optimizers.Adam(1e-2))
print(rivals.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
shown.end(rivals, rivals.optimizer.variables)
print([variable.value.name for variable in rivals.variables])

# One whose layers do not fit together fails as always, and one that is mended afterwards trains.
wrong = keras.Sequential([layers.Dense(4), layers.Conv2D(3, 3), layers.Dense(3)])
wrong.compile("sgd", "mse")
try:
    wrong.fit(x, y, verbose=0)
except ValueError as problem:
    print(type(problem).__name__, str(problem))
print([layer.built for layer in wrong.layers], len(wrong.variables))
shown.streams()
