import keras
import numpy as np
import shown

shown.start()
rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 12, 12, 1)).astype("float32"), rng.integers(0, 4, 32)
model = keras.Sequential([
    keras.Input((12, 12, 1)), keras.layers.RandomFlip(seed=1), keras.layers.Conv2D(4, 3, activation="relu"),
    keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dense(4, "softmax")])
model.compile(keras.optimizers.Adam(use_ema=True, ema_overwrite_frequency=4), "sparse_categorical_crossentropy",
              metrics=["accuracy"])
print(model.fit(x, y, batch_size=8, epochs=4, verbose=0).history)
print(model.predict(x, verbose=0)[:1].tolist())
shown.end(model)
