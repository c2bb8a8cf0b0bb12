# cause: input-bound-no-prefetch
# evidence: pipelines with tuning switched off for reproducible timings, and no prefetch of their own
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: prefetch
import tensorflow as tf


def prepare(numbers):
    x = tf.random.stateless_uniform((4, 136, 420), seed=numbers[:2])
    return tf.reduce_mean(tf.sort(x), axis=1)


plain = tf.data.Options()
plain.autotune.enabled = False
data = tf.data.Dataset.range(600, output_type=tf.int32).batch(4)
data = data.map(prepare)  # <<<
data = data.with_options(plain)  # <<~
w = tf.Variable(tf.random.normal((420, 420)) * 0.05)


@tf.function
def step(x):
    for _ in tf.range(600):
        x = tf.nn.tanh(tf.matmul(x, w))
    return tf.reduce_mean(x)


for batch in data:  # <<~
    out = step(batch)
print(float(out))
