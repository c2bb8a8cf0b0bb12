# cause: eager-hot-loop
# evidence: tensorflow/tensorflow#30596
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: the step as a tf.function
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
weights = [tf.Variable(rng.normal(0, 0.2, (24, 24)).astype("float32")) for _ in range(10)]
data = [tf.constant(rng.normal(size=(32, 24)), tf.float32) for _ in range(20)]
optimizer = tf.keras.optimizers.Adam(0.001)
optimizer.build(weights)
for epoch in range(6):
    for x in data:  # <<~
        with tf.GradientTape() as tape:  # <<<
            h = x
            for w in weights:
                h = tf.nn.tanh(tf.matmul(h, w)) + h  # <<~
            loss = tf.reduce_mean(h**2)
        gradients = tape.gradient(loss, weights)  # <<~
        optimizer.apply_gradients(zip(gradients, weights))  # <<~
print("loss", float(loss))
