import sys

import keras
import shown

shown.start()
keras.mixed_precision.set_global_policy(sys.argv[1] if len(sys.argv) > 1 else "mixed_bfloat16")
x, y = shown.data()
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dropout(0.2),
                          keras.layers.Dense(3), keras.layers.Activation("softmax", dtype="float32")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
print(model.fit(x, y, batch_size=8, epochs=3, verbose=0).history)
shown.end(model)
