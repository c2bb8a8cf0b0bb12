# fixed variant of ok_xla_for_many_steps.py
import tensorflow as tf

w = [tf.Variable(tf.random.normal((64, 64)) * 0.1) for _ in range(4)]


@tf.function(jit_compile=True)
def step(x):
    with tf.GradientTape() as tape:
        h = x
        for v in w:
            h = tf.nn.relu(tf.matmul(h, v)) + h
        loss = tf.reduce_mean(h * h)
    for v, g in zip(w, tape.gradient(loss, w)):
        v.assign_sub(0.001 * g)
    return loss


x = tf.random.normal((256, 64))
for i in range(1500):
    loss = step(x)
print("loss", float(loss))
