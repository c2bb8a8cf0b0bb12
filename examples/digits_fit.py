"""Train a small convolutional net on scikit-learn's handwritten digits with Keras' `fit`.

The ordinary Keras program: 1,797 grey 8×8 pictures that come with scikit-learn, three epochs, nothing to
download. Look at where its start goes with

    headstart profile examples/digits_fit.py
"""

import keras
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

EPOCHS = 3
BATCH_SIZE = 32


def load_data():
    """Pictures scaled to 0–1 with a channel axis, and their labels, split for training and testing."""
    digits = load_digits()
    pictures = (digits.images / 16.0).astype("float32")[..., np.newaxis]
    return train_test_split(pictures, digits.target, test_size=0.2, random_state=0)


def build_model():
    """Two convolutions and two dense layers; about 20,000 weights."""
    return keras.Sequential(
        [
            keras.Input(shape=(8, 8, 1)),
            keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )


def main():
    keras.utils.set_random_seed(0)
    train_x, test_x, train_y, test_y = load_data()
    model = build_model()
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(train_x, train_y, batch_size=BATCH_SIZE, epochs=EPOCHS, verbose=2)
    _, accuracy = model.evaluate(test_x, test_y, verbose=0)
    print(f"accuracy on unseen digits: {accuracy:.3f}")


if __name__ == "__main__":
    main()
