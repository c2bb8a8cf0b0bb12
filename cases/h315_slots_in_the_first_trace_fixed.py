# fixed variant of h315_slots_in_the_first_trace.py
import keras
import numpy as np

x = inputs = keras.Input((24, 24, 3))
for block in range(16):
    y = keras.layers.Conv2D(8, 3, padding="same")(x)
    y = keras.layers.BatchNormalization()(y)
    y = keras.layers.ReLU()(y)
    x = keras.layers.Add()([x, y]) if block else y
outputs = keras.layers.Dense(4, activation="softmax")(keras.layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
model.compile("adam", "sparse_categorical_crossentropy")
model.optimizer.build(model.trainable_variables)
model.fit(np.zeros((16, 24, 24, 3), "float32"), np.zeros(16), batch_size=8, verbose=0)
print("done")
