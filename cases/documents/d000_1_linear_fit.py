# document: 000, example 1: a first fit, whose first step is the slow one
# expects: none
import tensorflow as tf

line = tf.keras.Sequential([tf.keras.layers.Dense(units=1, input_shape=[1])])
line.compile(optimizer="sgd", loss="mse")
inputs = tf.constant([[1.0], [2.0], [3.0]])
targets = tf.constant([[2.0], [4.0], [6.0]])
line.fit(inputs, targets, epochs=10, verbose=1)
