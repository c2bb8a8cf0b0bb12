# cause: none (healthy: fit per epoch with evaluation, prediction and a saved best model in between)
import os
import tempfile

import numpy as np
import keras

rng = np.random.default_rng(0)
x = rng.normal(size=(3000, 15)).astype("float32")
y = (x[:, 0] + x[:, 1] > 0).astype("float32")
model = keras.Sequential([keras.Input((15,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
path = os.path.join(tempfile.mkdtemp(), "best.keras")
best = 0.0
for epoch in range(6):
    model.fit(x[:2400], y[:2400], batch_size=48, verbose=0)
    accuracy = model.evaluate(x[2400:], y[2400:], verbose=0)[1]
    if accuracy > best:
        best = accuracy
        model.save(path)
model = keras.models.load_model(path)
print(round(float((model.predict(x, batch_size=600, verbose=0)[:, 0].round() == y).mean()), 2) > 0.5)
