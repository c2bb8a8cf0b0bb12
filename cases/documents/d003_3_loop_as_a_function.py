# document: 003, example 3: the same as a tf.function
# repaired: as written it fails, since .numpy() does not exist while a graph is traced; tf.print does
# expects: unrolled-python-loop at line 10
import tensorflow as tf


@tf.function
def double(turns):
    value = tf.constant(1.0)
    for turn in range(turns):
        value = value * 2.0
        tf.print(tf.reduce_sum(value))  # repaired
    return value


began = tf.timestamp()
double(1000)
print(f"took {tf.timestamp() - began} s")
