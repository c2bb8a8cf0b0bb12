# fixed variant of h303_settings_object.py
import tensorflow as tf


class Settings:
    def __init__(self, depth):
        self.depth = depth


weights = tf.Variable(tf.random.normal((24, 24)) * 0.1)


@tf.function
def forward(x, settings):
    for _ in range(settings.depth):
        x = tf.nn.tanh(tf.matmul(x, weights)) + x
    return tf.reduce_sum(x)


settings = Settings(12)
for i in range(40):
    x = tf.random.normal((8, 24))
    out = forward(x, settings)
print(float(out))
