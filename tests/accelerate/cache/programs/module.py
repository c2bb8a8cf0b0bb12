import shown
import tensorflow as tf


class Linear(tf.Module):
    def __init__(self, n, m, seed):
        super().__init__()
        self.w = tf.Variable(tf.random.stateless_normal((n, m), seed=(seed, 1)), name="w")
        self.b = tf.Variable(tf.zeros((m,)), name="b")
        self.scale = 0.5

    @tf.function
    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b) * self.scale


class Trainer:
    def __init__(self, rate):
        self.rate = rate
        self.net = Linear(8, 3, 4)
        self.history = []

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            out = x @ self.net.w + self.net.b
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=out))
        grads = tape.gradient(loss, [self.net.w, self.net.b])
        self.net.w.assign_sub(self.rate * grads[0])
        self.net.b.assign_sub(self.rate * grads[1])
        return loss, tf.random.uniform(())


shown.start()
x, y = shown.data()
trainer = Trainer(0.1)
for at in range(0, 64, 8):
    loss, noise = trainer.step(tf.constant(x[at:at + 8]), tf.constant(y[at:at + 8]))
    trainer.history.append((float(loss), float(noise)))
print(trainer.history)
print(float(tf.reduce_sum(trainer.net(tf.constant(x)))))
shown.bits([trainer.net.w, trainer.net.b])
shown.streams()
