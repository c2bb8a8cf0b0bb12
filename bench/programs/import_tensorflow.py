"""The smallest TensorFlow program: import, one op."""

import tensorflow as tf

tf.constant(1)
