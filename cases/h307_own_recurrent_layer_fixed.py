# cause: unrolled-python-loop
# fix: a recurrent layer, whose loop over time is one loop of the graph
import keras
import numpy as np

model = keras.Sequential(
    [
        keras.Input((180, 8)),
        keras.layers.SimpleRNN(16, return_sequences=True),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(1),
    ]
)
model.compile("adam", "mse")
x = np.random.default_rng(0).normal(size=(64, 180, 8)).astype("float32")
model.fit(x, x[:, 0, :1], epochs=3, batch_size=16, verbose=0)
