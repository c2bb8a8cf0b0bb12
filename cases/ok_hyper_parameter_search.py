# cause: none (healthy: a search over layer sizes and rates; each candidate needs its own model)
import numpy as np
import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(1200, 10)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]
best = None
for width in (8, 16, 32):
    for rate in (0.003, 0.01, 0.03):
        keras.backend.clear_session()
        model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(width, activation="relu"), keras.layers.Dense(1)])
        model.compile(keras.optimizers.Adam(rate), "mse")
        model.fit(x[:1000], y[:1000], batch_size=40, epochs=6, verbose=0)
        score = model.evaluate(x[1000:], y[1000:], verbose=0)
        if best is None or score < best[0]:
            best = (score, width, rate)
print("best", best[1:])
