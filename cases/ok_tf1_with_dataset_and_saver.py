# cause: none (healthy: TF1 graph built once, an initializable iterator per epoch, a saver, summaries of numbers)
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = np.random.default_rng(0).normal(size=(1000, 12)).astype("float32")
place = tf.placeholder(tf.float32, x.shape)
data = tf.data.Dataset.from_tensor_slices(place).shuffle(1000).batch(50)
iterator = tf.data.make_initializable_iterator(data)
batch = iterator.get_next()
w = tf.get_variable("w", (12, 3))
loss = tf.reduce_mean(tf.square(tf.matmul(batch, w) - 1.0))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
init = tf.global_variables_initializer()
saver = tf.train.Saver(max_to_keep=1)
folder = tempfile.mkdtemp()
history = []
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(10):
        sess.run(iterator.initializer, {place: x})
        while True:
            try:
                value, _ = sess.run([loss, train])
            except tf.errors.OutOfRangeError:
                break
            history.append(value)
        saver.save(sess, os.path.join(folder, "m"), global_step=epoch, write_meta_graph=False)
print(len(history))
