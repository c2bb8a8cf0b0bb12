# document: 004, example 1: a TF1 graph built before it is used
# repaired: the session gets the graph that was built, whose initialiser the text leaves out
# expects: none
import numpy as np
import tensorflow as tf


def build():
    graph = tf.compat.v1.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 784])
        w = tf.compat.v1.Variable(tf.zeros([784, 10]))
        b = tf.compat.v1.Variable(tf.zeros([10]))
        y = tf.matmul(x, w) + b
        start = tf.compat.v1.global_variables_initializer()  # repaired
    return graph, start, x, y


graph, start, x, y = build()
with tf.compat.v1.Session(graph=graph) as session:  # repaired
    session.run(start)
    for run in range(20):
        session.run(y, {x: np.ones((4, 784))})
