# cause: growing-graph
# evidence: tensorflow/tensorflow#1439 (tf.assign called each step)
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: one assign op with a placeholder
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rate = tf.get_variable("rate", (), initializer=tf.zeros_initializer())
x = tf.placeholder(tf.float32, (None, 8))
loss = tf.reduce_mean(tf.square(x)) * rate
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(400):
        sess.run(rate.assign(1.0 / (1 + i)))  # <<<
        value = sess.run(loss, {x: np.ones((4, 8))})  # <<~
print("loss", value)
