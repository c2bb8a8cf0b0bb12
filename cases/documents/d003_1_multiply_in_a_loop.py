# document: 003, example 1: a multiplication per turn, said to get slower with each (it does not)
# expects: none
import tensorflow as tf


def double(turns):
    value = tf.constant(1.0)
    for turn in range(turns):
        value = value * 2.0
        print(tf.reduce_sum(value).numpy())
    return value


began = tf.timestamp()
double(1000)
print(f"took {tf.timestamp() - began} s")
