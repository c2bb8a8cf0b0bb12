"""ResNet50, 64×64, batch 8, Adam, `fit`: the start that people wait for. Prints when its steps ended.

The times go to the file named by BENCH_TIMES, as monotonic nanoseconds: an outside clock can be held
against them, and nothing of the program's output is needed.
"""

import json
import os
import time

import keras
import numpy as np


class Clock(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.ends = []

    def on_train_batch_end(self, batch, logs=None):
        self.ends.append(time.monotonic_ns())


keras.utils.set_random_seed(0)
model = keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=10)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
count = 8 * int(os.environ.get("BENCH_STEPS", "8"))
images = np.random.default_rng(0).random((count, 64, 64, 3), dtype="float32")
labels = np.random.default_rng(1).integers(0, 10, count)
clock = Clock()
model.fit(images, labels, batch_size=8, verbose=0, callbacks=[clock])
if "BENCH_TIMES" in os.environ:
    with open(os.environ["BENCH_TIMES"], "w") as handle:
        json.dump(clock.ends, handle)
