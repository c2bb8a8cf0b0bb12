# document: 000, example 3: a training step as a tf.function
# expects: none
import tensorflow as tf


@tf.function
def improve(net, x, y):
    with tf.GradientTape() as tape:
        error = tf.reduce_mean(tf.square(net(x) - y))
    rule.apply_gradients(zip(tape.gradient(error, net.trainable_variables), net.trainable_variables))


rule = tf.keras.optimizers.SGD(learning_rate=0.01)
net = tf.keras.Sequential([tf.keras.layers.Dense(units=1, input_shape=[1])])
inputs = tf.constant([[1.0], [2.0], [3.0]])
targets = tf.constant([[2.0], [4.0], [6.0]])
for epoch in range(10):
    improve(net, inputs, targets)
