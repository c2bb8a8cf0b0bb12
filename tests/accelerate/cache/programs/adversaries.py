import keras
import shown
import tensorflow as tf
from keras import layers

shown.start()
x, _ = shown.data()
maker = keras.Sequential([keras.Input((4,)), layers.Dense(8), layers.BatchNormalization(), layers.Dense(8)])
judge = keras.Sequential([keras.Input((8,)), layers.Dense(8), layers.LeakyReLU(), layers.Dropout(0.3), layers.Dense(1)])
# Two of a kind: in the graph of one step their name scopes meet, and TensorFlow gives one of them a number.
of_maker, of_judge = keras.optimizers.Adam(1e-2), keras.optimizers.Adam(1e-3)
entropy = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def step(real):
    noise = tf.random.normal((8, 4))
    with tf.GradientTape() as making, tf.GradientTape() as judging:
        made = maker(noise, training=True)
        of_real, of_made = judge(real, training=True), judge(made, training=True)
        fooled = entropy(tf.ones_like(of_made), of_made)
        told = entropy(tf.ones_like(of_real), of_real) + entropy(tf.zeros_like(of_made), of_made)
    of_maker.apply_gradients(zip(making.gradient(fooled, maker.trainable_variables), maker.trainable_variables))
    of_judge.apply_gradients(zip(judging.gradient(told, judge.trainable_variables), judge.trainable_variables))
    return fooled, told


for at in range(0, 64, 8):
    print([float(loss) for loss in step(tf.constant(x[at:at + 8]))])
print(step.experimental_get_tracing_count())
shown.end(maker, of_maker.variables)
shown.end(judge, of_judge.variables)
