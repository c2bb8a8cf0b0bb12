# cause: large-constant-in-graph
# evidence: tensorflow/tensorflow#14053 (the same for tf.function)
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: a tensor made outside is captured, not copied into the graph
import numpy as np
import tensorflow as tf

table = np.random.default_rng(0).standard_normal((600_000, 64), dtype="float32")


@tf.function
def lookup(ids):
    rows = tf.gather(table, ids)  # <<<
    return tf.reduce_sum(rows, axis=1)


for i in range(20):
    out = lookup(tf.range(i, i + 10))  # <<~
print(out.shape)
