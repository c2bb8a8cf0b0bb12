# cause: run-eagerly
# evidence: a debugging session's line that stayed
# culprit line: the line with the marker "<<<"
# fix: remove it
import numpy as np
import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(1600, 20)).astype("float32")
y = (x[:, 0] > 0).astype("float32")
layers = [keras.layers.Dense(24, activation="relu") for _ in range(10)]
model = keras.Sequential([keras.Input((20,)), *layers, keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"], run_eagerly=True)  # <<<
model.fit(x, y, batch_size=16, epochs=1, verbose=0)
print("done")
