# cause: uncached-preprocessing
# evidence: epochs that all take as long as the first
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: cache behind the map
import keras
import tensorflow as tf


def prepare(i):
    """Stands for reading and decoding a file: always the same for the same i."""
    x = tf.reshape(tf.range(160_000, dtype=tf.float32) * tf.cast(i + 1, tf.float32), (400, 400))
    x = tf.sort(tf.sin(x))
    return tf.reduce_mean(x, axis=0)[:64], tf.cast(i % 2, tf.float32)


data = tf.data.Dataset.range(300, output_type=tf.int32)  # <<~
data = data.map(prepare, num_parallel_calls=tf.data.AUTOTUNE)  # <<<
data = data.batch(10).prefetch(tf.data.AUTOTUNE)  # <<~
model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, epochs=6, verbose=0)  # <<~
print("done")
