# cause: none (healthy: mixed precision, an LSTM of ordinary width, fit with validation)
import numpy as np
import keras

keras.mixed_precision.set_global_policy("mixed_bfloat16")
rng = np.random.default_rng(0)
x = rng.normal(size=(600, 20, 6)).astype("float32")
y = (x.mean(axis=(1, 2)) > 0).astype("int32")
inputs = keras.Input((20, 6))
h = keras.layers.LSTM(32)(inputs)
outputs = keras.layers.Dense(2, activation="softmax", dtype="float32")(h)
model = keras.Model(inputs, outputs)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, validation_split=0.2, epochs=3, batch_size=30, verbose=0)
print("done")
