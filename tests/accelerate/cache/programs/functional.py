import keras
import numpy as np
import shown

shown.start()
x, y = shown.data()
inputs = keras.Input((8,), name="in")
h = keras.layers.Dense(16, activation="gelu", kernel_regularizer="l2")(inputs)
h = keras.layers.GaussianNoise(0.1, seed=3)(h)
h = keras.layers.LayerNormalization()(h)
a = keras.layers.Dense(3, activation="softmax", name="a")(h)
b = keras.layers.Dense(1, name="b")(h)
model = keras.Model(inputs, {"a": a, "b": b})
model.compile(
    keras.optimizers.SGD(keras.optimizers.schedules.CosineDecay(0.1, 50), momentum=0.9, nesterov=True, clipnorm=1.0),
    loss={"a": "sparse_categorical_crossentropy", "b": "mse"}, loss_weights={"a": 1.0, "b": 0.25},
    metrics={"a": ["accuracy"], "b": ["mae"]})
labels = {"a": y, "b": y.astype("float32").reshape(-1, 1)}
print(model.fit(x, labels, batch_size=8, epochs=3, verbose=0, sample_weight=None).history)
print(model.evaluate(x, labels, verbose=0, return_dict=True))
print({k: v[:1].tolist() for k, v in model.predict(x, verbose=0).items()})
shown.end(model)
