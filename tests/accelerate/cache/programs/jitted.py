import keras
import shown
import tensorflow as tf

keras.utils.set_random_seed(7)  # XLA refuses op determinism
x, y = shown.data()
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"], jit_compile=True)
print(model.fit(x, y, batch_size=8, epochs=3, verbose=0).history)


@tf.function(jit_compile=True)
def poly(v):
    return tf.reduce_sum(v * v * 2.0 + tf.sin(v))


print(float(poly(tf.constant([1.0, 2.0, 3.0]))))
shown.end(model)
