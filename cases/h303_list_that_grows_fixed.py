# fixed variant of h303_list_that_grows.py
import tensorflow as tf

layers = [tf.keras.layers.Dense(32, activation="relu") for _ in range(6)]
for layer in layers:
    layer.build((None, 32))


@tf.function(input_signature=[tf.TensorSpec((None, 1, 32)), tf.TensorSpec((1, 32))])
def attend(memory, query):
    weights = tf.nn.softmax(tf.reduce_sum(memory * query, -1), 0)
    x = tf.reduce_sum(memory * weights[..., None], 0)
    for layer in layers:
        x = layer(x)
    return x


memory, query = [tf.zeros((1, 32))], tf.ones((1, 32))
for turn in range(60):
    query = attend(tf.stack(memory), query)
    memory.append(query)
print(query.shape)
