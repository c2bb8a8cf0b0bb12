# fixed variant of h312_xla_for_a_smoke_test.py
import tensorflow as tf

kernels = [tf.Variable(tf.random.normal((3, 3, 16, 16)) * 0.05) for _ in range(400)]


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        h = x
        for kernel in kernels:
            h = h + tf.nn.relu(tf.nn.conv2d(h, kernel, 1, "SAME"))
        loss = tf.reduce_mean(h * h)
    for kernel, gradient in zip(kernels, tape.gradient(loss, kernels)):
        kernel.assign_sub(0.01 * gradient)
    return loss


for i in range(3):
    loss = step(tf.random.normal((1, 12, 12, 16)))
print("loss", float(loss))
