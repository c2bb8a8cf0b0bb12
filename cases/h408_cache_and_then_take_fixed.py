# fixed variant of h408_cache_and_then_take.py
import tensorflow as tf


def prepare(i):
    x = tf.reshape(tf.range(90_000, dtype=tf.float32) * tf.cast(i + 1, tf.float32), (300, 300))
    return tf.reduce_mean(tf.sort(tf.sin(x)), axis=0)


data = tf.data.Dataset.range(2000, output_type=tf.int32)
data = data.map(prepare, num_parallel_calls=tf.data.AUTOTUNE)
data = data.take(300)
data = data.cache()
data = data.batch(10).prefetch(tf.data.AUTOTUNE)
total = tf.function(lambda x: tf.reduce_sum(x))
for epoch in range(6):
    for batch in data:
        out = total(batch)
print(out.shape)
