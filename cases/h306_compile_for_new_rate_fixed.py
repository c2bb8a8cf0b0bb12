# fixed variant of h306_compile_for_new_rate.py
import keras
import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(256, 10)).astype("float32")
y = x.sum(axis=1, keepdims=True)
model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
for epoch in range(12):
    rate = 0.01 * 0.8**epoch
    model.optimizer.learning_rate.assign(rate)
    model.fit(x, y, batch_size=64, verbose=0)
print("done")
