# cause: none (healthy: parallel map, cache, shuffle of small records, batch, prefetch)
import keras
import tensorflow as tf


def prepare(i):
    image = tf.reshape(tf.range(32 * 32 * 3, dtype=tf.float32) * tf.cast(i % 7 + 1, tf.float32), (32, 32, 3))
    return tf.image.per_image_standardization(tf.sin(image)), tf.cast(i % 4, tf.int32)


data = tf.data.Dataset.range(800).map(prepare, num_parallel_calls=tf.data.AUTOTUNE).cache()
data = data.shuffle(800).batch(32).prefetch(tf.data.AUTOTUNE)
model = keras.Sequential(
    [
        keras.Input((32, 32, 3)),
        keras.layers.Conv2D(12, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(12, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(4),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(data, epochs=4, verbose=0)
print("done")
