import keras
import numpy as np
import shown

shown.start()
rng = np.random.default_rng(0)
x, y = rng.integers(0, 20, (32, 6)), rng.normal(size=(32, 1)).astype("float32")
model = keras.Sequential([keras.Input((6,)), keras.layers.Embedding(20, 4, mask_zero=True),
                          keras.layers.Bidirectional(keras.layers.LSTM(5, recurrent_dropout=0.1)), keras.layers.Dense(1)])
model.compile("adagrad", "huber", metrics=[keras.metrics.RootMeanSquaredError()])
print(model.fit(x, y, batch_size=8, epochs=3, verbose=0).history)
shown.end(model)
