# fixed variant of h403_shuffle_behind_decoding_in_fit.py
import keras
import tensorflow as tf

N = 10_000


def decode(i):
    """Stands for reading and decoding an image."""
    image = tf.random.stateless_uniform((200, 200, 3), seed=tf.stack([i, 7]))
    image = tf.image.resize(image, (32, 32))
    return image, tf.cast(i % 3, tf.int32)


data = tf.data.Dataset.range(N, output_type=tf.int32).shuffle(9000)
data = data.map(decode, num_parallel_calls=tf.data.AUTOTUNE).batch(10).prefetch(tf.data.AUTOTUNE)
model = keras.Sequential(
    [keras.Input((32, 32, 3)), keras.layers.Conv2D(4, 3), keras.layers.Flatten(), keras.layers.Dense(3)]
)
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(data, epochs=1, steps_per_epoch=30, verbose=0)
print("done")
