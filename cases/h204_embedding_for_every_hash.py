# cause: oversized-variable
# evidence: embeddings sized by the hash space instead of the vocabulary
# culprit line: the line with the marker "<<<"
# fix: as many rows as there are words
import numpy as np
import keras

rng = np.random.default_rng(0)
ROWS = 1_500_000  # the hash space
words = rng.integers(0, 5_000, (320, 20))
label = (words[:, 0] % 2).astype("float32")
ids = keras.Input((20,), dtype="int32")
h = keras.layers.Embedding(ROWS, 64)(ids)  # <<<
h = keras.layers.GlobalAveragePooling1D()(h)
model = keras.Model(ids, keras.layers.Dense(1, activation="sigmoid")(h))
model.compile("adam", "binary_crossentropy")
model.fit(words, label, batch_size=32, epochs=1, verbose=0)
print(model.count_params())
