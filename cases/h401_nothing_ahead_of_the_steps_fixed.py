# fixed variant of h401_nothing_ahead_of_the_steps.py
import tensorflow as tf


def prepare(i):
    x = tf.random.stateless_uniform((420, 420), seed=tf.stack([i, i]))
    return tf.reduce_mean(tf.sort(x), axis=0)


plain = tf.data.Options()
plain.autotune.enabled = False
data = tf.data.Dataset.range(600, output_type=tf.int32).map(prepare, num_parallel_calls=1)
data = data.batch(4).prefetch(2)
data = data.with_options(plain)
w = tf.Variable(tf.random.normal((420, 420)) * 0.05)


@tf.function
def step(x):
    for _ in tf.range(250):
        x = tf.nn.tanh(tf.matmul(x, w))
    return tf.reduce_mean(x)


for batch in data:
    out = step(batch)
print(float(out))
