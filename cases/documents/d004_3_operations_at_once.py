# document: 004, example 3: operations run as they are written
# expects: none
import tensorflow as tf

tf.compat.v1.enable_eager_execution()
a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
b = tf.constant([[5.0, 6.0], [7.0, 8.0]])
print(tf.matmul(a, b))
