# cause: run-eagerly
# evidence: tf.config.run_functions_eagerly in a helper module
# culprit line: the line with the marker "<<<"
# fix: remove it
import tensorflow as tf

tf.config.run_functions_eagerly(True)  # <<<
weights = [tf.Variable(tf.random.normal((16, 16)) * 0.1) for _ in range(20)]


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        h = x
        for w in weights:
            h = tf.nn.tanh(tf.matmul(h, w)) + h
        loss = tf.reduce_mean(h * h)
    for w, g in zip(weights, tape.gradient(loss, weights)):
        w.assign_sub(0.01 * g)
    return loss


for i in range(300):
    loss = step(tf.ones((8, 16)))
print("loss", float(loss))
