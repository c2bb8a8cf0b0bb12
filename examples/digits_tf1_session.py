"""Logistic regression on scikit-learn's digits, written as in TensorFlow 1: a graph, then a session.

Programs of this kind still run on TensorFlow 2 through `tf.compat.v1`. The graph is built once, before the
loop; each step is one `Session.run`.
"""

import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.datasets import load_digits

STEPS = 200
BATCH_SIZE = 64


def main():
    tf.disable_eager_execution()
    tf.set_random_seed(0)
    digits = load_digits()
    pictures = (digits.data / 16.0).astype("float32")

    x = tf.placeholder(tf.float32, [None, 64], name="pictures")
    y = tf.placeholder(tf.int64, [None], name="labels")
    weights = tf.get_variable("weights", [64, 10], initializer=tf.zeros_initializer())
    bias = tf.get_variable("bias", [10], initializer=tf.zeros_initializer())
    logits = tf.matmul(x, weights) + bias
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

    draw = np.random.default_rng(0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            rows = draw.integers(0, len(pictures), BATCH_SIZE)
            session.run(train, {x: pictures[rows], y: digits.target[rows]})
        final_loss, accuracy = session.run([loss, right], {x: pictures, y: digits.target})
    print(f"after {STEPS} steps: loss {final_loss:.4f}, accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
