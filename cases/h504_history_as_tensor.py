# cause: growing-tensor
# evidence: histories kept by tf.concat
# culprit line: the line with the marker "<<<"
# fix: a list, joined once
import tensorflow as tf

forward = tf.function(lambda x: tf.nn.softmax(x))
history = tf.zeros((0, 4000))
for step in range(2200):
    out = forward(tf.random.normal((1, 4000)))
    history = tf.concat([history, out], axis=0)  # <<<
print(float(tf.reduce_sum(history)))
