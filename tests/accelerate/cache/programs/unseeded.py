"""As most programs are: no seed is set. Its numbers differ from run to run, its traces do not."""

import keras
import shown

x, y = shown.data()
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "relu"), keras.layers.Dropout(0.3),
                          keras.layers.Dense(3, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history
print(sorted(history), [len(values) for values in history.values()])
model.predict(x, verbose=0)
