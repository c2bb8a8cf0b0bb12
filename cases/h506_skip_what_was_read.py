# cause: dataset-chain-grows
# evidence: chunks taken with skip in a loop
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: one pass, in chunks
import tensorflow as tf

data = tf.data.Dataset.range(20_000).map(lambda i: tf.cast(i, tf.float32) * 2.0)
total = tf.function(lambda x: tf.reduce_sum(x))
sums = []
for chunk in range(40):
    batch = next(iter(data.take(500).batch(500)))  # <<~
    data = data.skip(500)  # <<<
    sums.append(float(total(batch)))
print(sum(sums))
