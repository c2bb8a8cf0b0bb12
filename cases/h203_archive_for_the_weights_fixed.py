# fixed variant of h203_archive_for_the_weights.py
import os
import tempfile

import keras
import numpy as np

folder = tempfile.mkdtemp()


def build():
    dense = [keras.layers.Dense(6000, kernel_initializer="zeros") for _ in range(8)]
    return keras.Sequential([keras.Input((6000,)), *dense])


trained = build()
trained.save_weights(os.path.join(folder, "model.weights.h5"))
del trained
model = build()
model.load_weights(os.path.join(folder, "model.weights.h5"))
print(np.asarray(model(np.ones((1, 6000), "float32"))).sum())
