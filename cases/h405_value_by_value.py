# cause: host-sync-per-step
# evidence: metrics kept in Python dictionaries, value by value
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: count on the tensors and fetch once
import numpy as np
import tensorflow as tf

w = tf.Variable(np.random.default_rng(0).normal(size=(16, 4)).astype("float32"))
classify = tf.function(lambda x: tf.argmax(tf.matmul(x, w), axis=1))
counts = {k: 0 for k in range(4)}
for step in range(200):
    labels = classify(tf.random.normal((128, 16)))
    for label in labels:  # <<~
        counts[int(label)] += 1  # <<<
print(counts)
