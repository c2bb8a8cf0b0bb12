"""The small example, `examples/digits_fit.py`, with a clock in it."""

import sys
from pathlib import Path

from _clock import Clock, steps

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import digits_fit as example
import keras

keras.utils.set_random_seed(0)
train_x, test_x, train_y, test_y = example.load_data()
model = example.build_model()
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
clock = Clock()
epochs = -(-steps(1) * example.BATCH_SIZE // len(train_x))
model.fit(train_x, train_y, batch_size=example.BATCH_SIZE, epochs=epochs, verbose=0, callbacks=[clock])
clock.write()
