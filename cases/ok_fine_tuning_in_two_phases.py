# cause: none (healthy: compiled once for the head and once more for fine-tuning)
import numpy as np
import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(800, 12)).astype("float32")
y = (x[:, 0] > 0).astype("int32")
body = keras.Sequential([keras.Input((12,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(16)])
model = keras.Sequential([keras.Input((12,)), body, keras.layers.Dense(2, activation="softmax")])
body.trainable = False
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y, epochs=4, verbose=0)
body.trainable = True
model.compile(keras.optimizers.Adam(1e-4), "sparse_categorical_crossentropy")
model.fit(x, y, epochs=4, verbose=0)
print("accuracy", float((model.predict(x, verbose=0).argmax(1) == y).mean()))
