"""MobileNetV2, 64×64, batch 8, Adam, `fit`."""

import keras
import numpy as np
from _clock import Clock

keras.utils.set_random_seed(0)
model = keras.applications.MobileNetV2(weights=None, input_shape=(64, 64, 3), classes=10)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
images = np.random.default_rng(0).random((64, 64, 64, 3), dtype="float32")
labels = np.random.default_rng(1).integers(0, 10, 64)
clock = Clock()
model.fit(images, labels, batch_size=8, verbose=0, callbacks=[clock])
clock.write()
