# cause: python-in-pipeline
# evidence: Keras Sequences that build each row in Python
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: build the batch with NumPy at once
import keras
import numpy as np


class Rows(keras.utils.PyDataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        x = np.array([[rng.random() for _ in range(40)] for _ in range(2000)], "float32")  # <<~
        return x, x.sum(axis=1, keepdims=True)


model = keras.Sequential([keras.Input((40,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(Rows(), epochs=2, verbose=0)  # <<<
print("done")
