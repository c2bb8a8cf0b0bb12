# document: 000, example 2: initial weights drawn by hand
# repaired: the text uses the data of its first example, which is defined here
# expects: none
import tensorflow as tf

inputs = tf.constant([[1.0], [2.0], [3.0]])  # repaired
targets = tf.constant([[2.0], [4.0], [6.0]])  # repaired
net = tf.keras.Sequential([tf.keras.layers.Dense(units=10, input_shape=[1], kernel_initializer="random_normal")])
draw = tf.keras.initializers.RandomNormal()
net.layers[0].set_weights([draw(shape=(1, 10)), draw(shape=(10,))])
net.compile(optimizer="adam", loss="mse")
net.fit(inputs, targets, epochs=10, verbose=1)
