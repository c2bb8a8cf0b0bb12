import os

import keras
import shown

shown.start()
x, y = shown.data()


def build():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "relu"), keras.layers.BatchNormalization(),
                              keras.layers.Dense(3, "softmax")])
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


first = build()
print(first.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
first.save("model.keras")
first.save_weights("w.weights.h5")
again = keras.models.load_model("model.keras")
print(again.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
third = build()
third.load_weights("w.weights.h5")
print(third.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
print(sorted(f for f in os.listdir(".") if not f.startswith(".") and f.endswith((".keras", ".h5"))))
shown.end(again)
