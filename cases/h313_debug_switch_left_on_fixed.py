# fixed variant of h313_debug_switch_left_on.py
import numpy as np
import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(1600, 20)).astype("float32")
y = (x[:, 0] > 0).astype("float32")
layers = [keras.layers.Dense(24, activation="relu") for _ in range(10)]
model = keras.Sequential([keras.Input((20,)), *layers, keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(x, y, batch_size=16, epochs=1, verbose=0)
print("done")
