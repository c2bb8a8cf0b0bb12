# fixed variant of h406_one_core_for_augmentation.py
import tensorflow as tf


def augment(i):
    x = tf.random.uniform((500, 500)) + tf.cast(i, tf.float32)
    return tf.reduce_mean(tf.sort(x), axis=0)


data = tf.data.Dataset.range(240, output_type=tf.int32)
data = data.map(augment, num_parallel_calls=tf.data.AUTOTUNE)
data = data.batch(8).prefetch(2)
total = tf.function(lambda x: tf.reduce_sum(x))
for batch in data:
    out = total(batch)
print(out.shape)
