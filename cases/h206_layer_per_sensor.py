# cause: slow-model-build
# evidence: functional models that loop over columns or time steps
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: one layer for all of them
import keras
import numpy as np
from keras import layers

SENSORS = 300
inputs = keras.Input((SENSORS, 8))
parts = []
for i in range(SENSORS):  # <<~
    one = inputs[:, i]  # <<~
    parts.append(layers.Dense(4, activation="relu")(one))  # <<<
hidden = layers.Concatenate()(parts)
model = keras.Model(inputs, layers.Dense(1)(hidden))
out = model(np.zeros((2, SENSORS, 8), "float32"))
print(out.shape, model.count_params())
