# cause: serial-input-map
# evidence: random augmentation of images under `fit`, several epochs: nothing that a cache could keep
# culprit line: the line with the marker "<<<"
# fix: num_parallel_calls
import numpy as np
import tensorflow as tf

images = np.random.randint(0, 255, (512, 96, 96, 3), dtype=np.uint8)


def augment(image):
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.resize(image, (160, 160))
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_hue(image, 0.1)
    image = tf.image.random_saturation(image, 0.8, 1.2)
    return tf.image.random_crop(image, (128, 128, 3)), 1.0


data = tf.data.Dataset.from_tensor_slices(images).map(augment).batch(32)  # <<<
model = tf.keras.Sequential(
    [
        tf.keras.Input((128, 128, 3)),
        tf.keras.layers.Conv2D(4, 3, strides=4),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(1),
    ]
)
model.compile("sgd", "mse")
model.fit(data, epochs=8, verbose=2)
