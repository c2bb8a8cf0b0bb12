# cause: retrace-varying-shape
# evidence: tensorflow/tensorflow#34025 (fully convolutional nets on images of all sizes)
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: leave height and width open
import numpy as np
import tensorflow as tf

kernels = [tf.Variable(tf.random.normal((3, 3, a, b)) * 0.1) for a, b in ((3, 8), (8, 8), (8, 8), (8, 1))]


@tf.function  # <<~
def saliency(image):  # <<~
    h = image
    for kernel in kernels:
        h = tf.nn.relu(tf.nn.conv2d(h, kernel, 1, "SAME"))
    return tf.reduce_max(h), tf.reduce_mean(h)


def score_all(images):
    return [saliency(image[None])[0] for image in images]  # <<<


rng = np.random.default_rng(0)
images = [tf.constant(rng.random((h, 30 + h % 7, 3)), tf.float32) for h in range(20, 70)]
print(len(score_all(images)))
