# fixed variant of h305_loss_as_lambda.py
import tensorflow as tf

w = tf.Variable(tf.random.normal((40, 40)) * 0.1)


def energy(x, scale):
    for _ in range(15):
        x = tf.nn.tanh(tf.matmul(x, w)) * scale
    return tf.reduce_sum(x * x)


compiled = tf.function(energy)
results = []
for k in range(40):
    scale = 1.0 + 0.01 * k
    results.append(float(compiled(tf.ones((4, 40)), tf.constant(scale))))
print(min(results))
