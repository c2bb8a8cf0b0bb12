# cause: slow-weight-loading
# evidence: keras-team/keras#17652, tensorflow/tensorflow#44773
# culprit line: the line with the marker "<<<"
# fix: build the model in code and load its weights only
import os
import tempfile

import keras
import numpy as np

folder = tempfile.mkdtemp()


def build():
    dense = [keras.layers.Dense(6000, kernel_initializer="zeros") for _ in range(8)]
    return keras.Sequential([keras.Input((6000,)), *dense])


trained = build()
trained.save(os.path.join(folder, "model.keras"))
del trained
model = keras.models.load_model(os.path.join(folder, "model.keras"))  # <<<
print(np.asarray(model(np.ones((1, 6000), "float32"))).sum())
