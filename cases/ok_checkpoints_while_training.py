# cause: none
import tempfile

import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.l1 = tf.keras.layers.Dense(5)

    def call(self, x):
        return self.l1(x)


net = Net()
opt = tf.keras.optimizers.Adam(0.1)
iterator = iter(tf.data.Dataset.from_tensor_slices({"x": tf.range(10.0)[:, None], "y": tf.range(10.0)[:, None] * 5 + tf.range(5.0)[None, :]}).repeat().batch(2))
step = tf.Variable(1)
ckpt = tf.train.Checkpoint(step=step, net=net)
manager = tf.train.CheckpointManager(ckpt, tempfile.mkdtemp(), max_to_keep=3)


@tf.function
def train_step(example):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(net(example["x"]) - example["y"]))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss


ckpt.restore(manager.latest_checkpoint)
for _ in range(200):
    loss = train_step(next(iterator))
    step.assign_add(1)
    if int(step) % 20 == 0:
        print("saved", manager.save(), loss.numpy())
