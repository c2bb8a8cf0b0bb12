# cause: function-recreated
# evidence: keras-team/keras#17592 (objects with compiled methods made per item)
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: one object for all items
import numpy as np
import tensorflow as tf


class Filter:
    def __init__(self, gain):
        self.gain = tf.Variable(gain)
        self.run = tf.function(self._run)  # <<<

    def _run(self, x):  # <<~
        for _ in range(25):
            x = x - self.gain * tf.nn.tanh(x)
        return tf.reduce_mean(x)


signal = tf.constant(np.random.default_rng(0).normal(size=256), tf.float32)
out = []
for k in range(40):
    one = Filter(0.01 * k)  # <<~
    out.append(float(one.run(signal)))  # <<~
print(sum(out))
