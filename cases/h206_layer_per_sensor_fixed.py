# fixed variant of h206_layer_per_sensor.py
import keras
import numpy as np
from keras import layers

SENSORS = 300
inputs = keras.Input((SENSORS, 8))
hidden = layers.EinsumDense("bsf,sfg->bsg", output_shape=(SENSORS, 4), activation="relu")(inputs)
hidden = layers.Flatten()(hidden)
model = keras.Model(inputs, layers.Dense(1)(hidden))
out = model(np.zeros((2, SENSORS, 8), "float32"))
print(out.shape, model.count_params())
