# fixed variant of h502_activations_by_step.py
import tensorflow as tf


class Monitor:
    def __init__(self):
        self.seen = {}

    def record(self, step, values):
        self.seen[step] = float(tf.reduce_mean(values))


w = tf.Variable(tf.random.normal((64, 512)))
forward = tf.function(lambda x: tf.nn.relu(tf.matmul(x, w)))
monitor = Monitor()
for step in range(400):
    hidden = forward(tf.random.normal((1024, 64)))
    monitor.record(step, hidden)
print(len(monitor.seen))
