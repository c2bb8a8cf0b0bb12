# cause: compile-in-loop
# evidence: keras-team/keras#9151
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: assign the learning rate
import keras
import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(256, 10)).astype("float32")
y = x.sum(axis=1, keepdims=True)
model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(1)])
for epoch in range(12):
    rate = 0.01 * 0.8**epoch
    model.compile(optimizer=keras.optimizers.Adam(rate), loss="mse")  # <<<
    model.fit(x, y, batch_size=64, verbose=0)  # <<~
print("done")
