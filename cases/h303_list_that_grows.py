# cause: retrace-python-object
# evidence: attention over a list of what was seen so far: a list that is longer by one is another structure
# culprit line: the line with the marker "<<<"
# fix: one tensor, and a signature that leaves its first dimension open
import tensorflow as tf

layers = [tf.keras.layers.Dense(32, activation="relu") for _ in range(6)]
for layer in layers:
    layer.build((None, 32))


@tf.function
def attend(memory, query):
    memory = tf.stack(memory)
    weights = tf.nn.softmax(tf.reduce_sum(memory * query, -1), 0)
    x = tf.reduce_sum(memory * weights[..., None], 0)
    for layer in layers:
        x = layer(x)
    return x


memory, query = [tf.zeros((1, 32))], tf.ones((1, 32))
for turn in range(60):
    query = attend(memory, query)  # <<<
    memory.append(query)
print(query.shape)
