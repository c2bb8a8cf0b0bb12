"""Models of the program's own that are first called inside of what is traced, as in most tutorials."""

import keras
import shown
import tensorflow as tf
from keras import layers


class Block(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense = layers.Dense(units, "relu")
        self.norm = layers.BatchNormalization()
        self.drop = layers.Dropout(0.2)

    def call(self, x, training=False):
        return self.drop(self.norm(self.dense(x), training=training), training=training)


class Scale(layers.Layer):
    def build(self, shape):
        self.factor = self.add_weight(shape=(shape[-1],), initializer="ones", name="factor")

    def call(self, x):
        return x * self.factor


class Net(keras.Model):
    def __init__(self, units=8, outputs=3):
        super().__init__()
        self.blocks = [Block(units), Block(units)]
        self.scale = Scale()
        self.out = layers.Dense(outputs)

    def call(self, x, training=False):
        for block in self.blocks:
            x = block(x, training=training)
        return self.out(self.scale(x))


shown.start()
x, y = shown.data()
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
crossentropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def told(model):
    shown.end(model)
    print([(layer.path, layer._parent_path, layer.built) for layer in model._flatten_layers()])


# A loop of one's own.
model, optimizer, mean = Net(), keras.optimizers.Adam(1e-2), keras.metrics.Mean()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = crossentropy(y, model(x, training=True))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    mean.update_state(loss)


@tf.function
def test_step(x):
    return model(x, training=False)


for _ in range(3):
    for images, labels in batches:
        train_step(images, labels)
print(float(mean.result()), test_step(tf.constant(x[:2])).numpy().tolist())
told(model)
shown.bits(optimizer.variables)

# The same by fit, with an evaluation before it.
model = Net(5)
model.compile(keras.optimizers.SGD(0.1, momentum=0.9), crossentropy, metrics=["accuracy"])
print(model.fit(x, y, batch_size=16, epochs=2, verbose=0, validation_data=(x[:16], y[:16])).history)
told(model)
model = Net(6)
model.compile("rmsprop", crossentropy)
print(model.evaluate(x, y, verbose=0))
print(model.fit(x, y, batch_size=16, epochs=2, verbose=0).history)
told(model)

# Two models that are trained against each other.
maker, judge = Net(4, 8), keras.Sequential([layers.Dense(6, "relu"), layers.Dense(1)])
optimizers = [keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-2)]
binary = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def duel(real):
    noise = tf.zeros_like(real) + 0.5
    with tf.GradientTape() as first, tf.GradientTape() as second:
        made = maker(noise, training=True)
        yes, no = judge(real, training=True), judge(made, training=True)
        making = binary(tf.ones_like(no), no)
        judging = binary(tf.ones_like(yes), yes) + binary(tf.zeros_like(no), no)
    for tape, loss, one, opt in ((first, making, maker, optimizers[0]), (second, judging, judge, optimizers[1])):
        opt.apply_gradients(zip(tape.gradient(loss, one.trainable_variables), one.trainable_variables))
    return making, judging


for _ in range(5):
    print([float(loss) for loss in duel(tf.constant(x[:16]))])
for model, optimizer in ((maker, optimizers[0]), (judge, optimizers[1])):
    told(model)
    shown.bits(optimizer.variables)
