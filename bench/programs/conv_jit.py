"""A small convolutional net, compiled with XLA."""

import keras
import numpy as np
from _clock import Clock, steps

keras.utils.set_random_seed(0)
layers = keras.layers
model = keras.Sequential(
    [
        keras.Input((32, 32, 3)),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.BatchNormalization(),
        layers.Conv2D(64, 3, padding="same", activation="relu"),
        layers.Conv2D(64, 3, padding="same", activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(64, activation="relu"),
        layers.Dense(10, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", jit_compile=True)
count = 8 * steps(8)
images = np.random.default_rng(0).random((count, 32, 32, 3), dtype="float32")
labels = np.random.default_rng(1).integers(0, 10, count)
clock = Clock()
model.fit(images, labels, batch_size=8, verbose=0, callbacks=[clock])
clock.write()
