# cause: function-recreated
# evidence: tensorflow's own warning (1) "creating @tf.function repeatedly in a loop"
# culprit line: the line with the marker "<<<"
# fix: one function, what changes as an argument
import tensorflow as tf

w = tf.Variable(tf.random.normal((40, 40)) * 0.1)


def energy(x, scale):
    for _ in range(15):
        x = tf.nn.tanh(tf.matmul(x, w)) * scale
    return tf.reduce_sum(x * x)


results = []
for k in range(40):
    scale = 1.0 + 0.01 * k
    results.append(float(tf.function(lambda x: energy(x, scale))(tf.ones((4, 40)))))  # <<<
print(min(results))
