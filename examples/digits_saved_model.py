"""Answer requests from a saved model, the way a small inference service starts.

The first run trains a net on scikit-learn's digits and exports it; later runs find the export, load it and
predict. The export lives in a folder of the temporary directory (or the one given as first argument).
"""

import pathlib
import sys
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

REQUESTS = 50


def default_folder():
    return pathlib.Path(tempfile.gettempdir()) / f"headstart-digits-{tf.__version__}"


def export_model(folder):
    """Train briefly and write a SavedModel."""
    import keras

    keras.utils.set_random_seed(0)
    digits = load_digits()
    model = keras.Sequential(
        [
            keras.Input(shape=(64,)),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    model.fit(digits.data / 16.0, digits.target, epochs=5, verbose=0)
    model.export(str(folder), verbose=False)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default_folder()
    if not (folder / "saved_model.pb").exists():
        export_model(folder)
    serve = tf.saved_model.load(str(folder)).signatures["serving_default"]

    digits = load_digits()
    (name,) = serve.structured_input_signature[1]
    right = 0
    for number in range(REQUESTS):
        picture = tf.constant(digits.data[number : number + 1] / 16.0, tf.float32)
        (scores,) = serve(**{name: picture}).values()
        right += int(np.argmax(scores) == digits.target[number])
    print(f"{right} of {REQUESTS} digits read correctly")


if __name__ == "__main__":
    main()
