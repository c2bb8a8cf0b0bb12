"""Nothing of TensorFlow runs before the first call of what is traced: not even its devices are set up."""

import numpy as np
import tensorflow as tf


@tf.function
def step(v):
    return tf.reduce_sum(v * 2.0)


print(step(np.arange(3.0)).numpy(), step(np.arange(4.0)).numpy(), step.experimental_get_tracing_count())
