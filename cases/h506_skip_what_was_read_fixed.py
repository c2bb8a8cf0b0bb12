# fixed variant of h506_skip_what_was_read.py
import tensorflow as tf

data = tf.data.Dataset.range(20_000).map(lambda i: tf.cast(i, tf.float32) * 2.0)
total = tf.function(lambda x: tf.reduce_sum(x))
chunks = iter(data.batch(500))
sums = []
for chunk in range(40):
    batch = next(chunks)
    sums.append(float(total(batch)))
print(sum(sums))
