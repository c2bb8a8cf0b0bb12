# document: 002, example 2: a model from an .h5 file
# repaired: the file, which the text supposes, is written first
# expects: none
import os
import tempfile

import tensorflow as tf

path = os.path.join(tempfile.mkdtemp(), "trained.h5")
tf.keras.Sequential([tf.keras.layers.Dense(64, input_shape=(32,)), tf.keras.layers.Dense(4)]).save(path)  # repaired
net = tf.keras.models.load_model(path)
net.summary()
