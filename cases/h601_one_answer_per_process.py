# cause: lite-starts-faster
# evidence: command-line tools and functions in the cloud that answer once
# culprit line: the line with the marker "<<<"
# fix: convert the model and use the LiteRT interpreter
import os
import tempfile

import keras
import numpy as np

path = os.path.join(tempfile.mkdtemp(), "m.keras")
keras.Sequential([keras.Input((16,)), keras.layers.Dense(8), keras.layers.Dense(2)]).save(path)
model = keras.models.load_model(path)  # <<<
for request in range(3):
    answer = np.asarray(model(np.ones((1, 16), "float32"), training=False))
print(answer)
