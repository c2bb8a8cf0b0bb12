import keras
import numpy as np
import shown

shown.start()
x, y = shown.data()
for kind in ("sample", "class"):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(3, "softmax")])
    model.compile("rmsprop", "sparse_categorical_crossentropy", weighted_metrics=["accuracy"], steps_per_execution=4)
    if kind == "sample":
        history = model.fit(x, y, sample_weight=np.linspace(0.1, 1, len(x)), batch_size=4, epochs=2, verbose=0)
    else:
        history = model.fit(x, y, class_weight={0: 1.0, 1: 2.0, 2: 0.5}, batch_size=4, epochs=2, verbose=0)
    print(kind, history.history)
    shown.end(model)
