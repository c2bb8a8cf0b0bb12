"""Several models of one form, of different form, and one trained twice: entries must not get mixed up."""

import keras
import shown

shown.start()
x, y = shown.data()


def build(units, rate=0.0):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(units, "relu"), keras.layers.Dropout(rate),
                              keras.layers.Dense(3, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


for model in (build(4), build(4), build(5), build(4, 0.5)):
    print(model.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
    model.layers[0].trainable = False
    model.compile("sgd", "mse" if model.layers[0].units == 99 else "sparse_categorical_crossentropy")
    print(model.fit(x, y, batch_size=8, epochs=2, verbose=0).history)
    shown.end(model)
