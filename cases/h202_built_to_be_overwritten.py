# cause: wasted-initialization
# evidence: tensorflow/tensorflow#44773 (loading slower than reading)
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: a constant initialiser where weights will be loaded
import os
import tempfile

import numpy as np
import keras

WIDTH = 7000
path = os.path.join(tempfile.mkdtemp(), "trained.npy")
np.save(path, np.zeros((WIDTH, WIDTH), "float32"))

start = keras.initializers.TruncatedNormal(0.02)
hidden = keras.layers.Dense(WIDTH, kernel_initializer=start)
inputs = keras.Input((WIDTH,))
model = keras.Model(inputs, hidden(inputs))  # <<<
model.set_weights([np.load(path, mmap_mode="r"), np.zeros(WIDTH, "float32")])  # <<~
print(np.asarray(model(np.ones((1, WIDTH), "float32"))).sum())
