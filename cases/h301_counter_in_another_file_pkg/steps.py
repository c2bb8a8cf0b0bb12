import tensorflow as tf

weights = [tf.Variable(tf.random.normal((32, 32)) * 0.1) for _ in range(10)]


@tf.function
def train(x, counter):
    for w in weights:
        x = tf.nn.tanh(tf.matmul(x, w)) + x / (1.0 + tf.cast(counter, tf.float32))
    return tf.reduce_mean(x)
