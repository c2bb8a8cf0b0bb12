"""ResNet50, 64×64, batch 8, Adam, `fit`."""

import keras
from _fit import fit

keras.utils.set_random_seed(0)
fit(keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=10))
