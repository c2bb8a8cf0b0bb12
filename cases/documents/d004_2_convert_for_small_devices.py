# document: 004, example 2: a SavedModel converted to the small interpreter's format
# repaired: the SavedModel, which the text supposes, is written first
# expects: none
import os
import tempfile

import tensorflow as tf

folder = os.path.join(tempfile.mkdtemp(), "saved")


class Affine(tf.Module):  # repaired
    def __init__(self):
        self.w = tf.Variable(tf.ones((8, 2)))

    @tf.function(input_signature=[tf.TensorSpec((1, 8), tf.float32)])
    def __call__(self, x):
        return tf.matmul(x, self.w)


tf.saved_model.save(Affine(), folder)  # repaired
small = tf.lite.TFLiteConverter.from_saved_model(folder).convert()
with open(os.path.join(folder, "model.tflite"), "wb") as file:
    file.write(small)
print(len(small) > 0)
