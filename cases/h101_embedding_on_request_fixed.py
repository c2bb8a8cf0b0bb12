# fixed variant of h101_embedding_on_request.py
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--map", action="store_true", help="write a two-dimensional map of the hidden layer")
args = parser.parse_args()

x = np.random.default_rng(0).normal(size=(512, 16)).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, x[:, :1], epochs=2, verbose=0)


def write_map(values):
    import sklearn.manifold

    np.save("map.npy", sklearn.manifold.TSNE().fit_transform(values))


if args.map:
    write_map(model.layers[0](x).numpy())
print("done")
