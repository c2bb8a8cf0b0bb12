# cause: retrace-python-scalar
# evidence: schedules that compute the learning rate in Python
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: pass the rate as a tensor
import numpy as np
import tensorflow as tf


class Trainer:
    def __init__(self):
        self.layers = [tf.Variable(tf.random.normal((32, 32), stddev=0.1)) for _ in range(8)]

    @tf.function  # <<~
    def step(self, batch, rate=0.1):  # <<~
        with tf.GradientTape() as tape:
            h = batch
            for w in self.layers:
                h = tf.nn.tanh(tf.matmul(h, w)) + h
            loss = tf.reduce_mean(h**2)
        for w, g in zip(self.layers, tape.gradient(loss, self.layers)):
            w.assign_sub(rate * g)
        return loss


trainer = Trainer()
rng = np.random.default_rng(1)
for epoch in range(30):
    rate = 0.1 / (1 + epoch)
    for _ in range(10):
        batch = tf.constant(rng.normal(size=(16, 32)), tf.float32)
        loss = trainer.step(batch, rate=rate)  # <<<
print("loss", float(loss))
