# document: 003, example 2: the same with the constants made beforehand
# expects: none
import tensorflow as tf


def double(turns):
    value = tf.constant(1.0)
    factors = [tf.constant(2.0) for _ in range(turns)]
    for factor in factors:
        value = value * factor
        print(tf.reduce_sum(value).numpy())
    return value


began = tf.timestamp()
double(1000)
print(f"took {tf.timestamp() - began} s")
