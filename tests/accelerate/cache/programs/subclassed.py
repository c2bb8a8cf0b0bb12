import keras
import shown
import tensorflow as tf


class Block(keras.layers.Layer):
    def __init__(self, units, rate):
        super().__init__()
        self.dense = keras.layers.Dense(units, "relu")
        self.drop = keras.layers.Dropout(rate)

    def call(self, x, training=False):
        return self.drop(self.dense(x), training=training) + 1e-3


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(16, 0.2), Block(8, 0.1)]
        self.out = keras.layers.Dense(3)

    def call(self, x, training=False):
        for block in self.blocks:
            x = block(x, training=training)
        return self.out(x)


shown.start()
x, y = shown.data()
model = Net()
model(x[:1])
model.compile(keras.optimizers.AdamW(1e-2), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
print(model.fit(data, epochs=3, verbose=0).history)
print(model.evaluate(data, verbose=0, return_dict=True))
print(model.predict(data, verbose=0)[:1].tolist())
shown.end(model)
