# cause: predict-in-loop
# evidence: tensorflow/tensorflow#40261
# culprit line: the line with the marker "<<<"
# fix: call the model
import keras
import numpy as np

model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(48, activation="relu"), keras.layers.Dense(4)])


class Service:
    def __init__(self, model):
        self.model = model

    def answer(self, request):
        batch = np.asarray([request], "float32")
        return self.model.predict(batch, verbose=0)[0].argmax()  # <<<


service = Service(model)
rng = np.random.default_rng(0)
counts = np.zeros(4, int)
for _ in range(80):
    counts[service.answer(rng.normal(size=12))] += 1
print(counts)
