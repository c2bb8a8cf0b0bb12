# cause: none
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
GLOBAL = 64 * strategy.num_replicas_in_sync
x = np.random.default_rng(0).normal(size=(3000, 20)).astype("float32")
y = np.random.default_rng(0).normal(size=(3000, 1)).astype("float32")
ds = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).shuffle(3000).batch(GLOBAL))
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((20,)), tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(0.01)


def step_fn(inputs):
    bx, by = inputs
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((model(bx, training=True) - by) ** 2) / GLOBAL
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


@tf.function
def train_step(inputs):
    per_replica = strategy.run(step_fn, args=(inputs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)


for epoch in range(4):
    total = 0.0
    for batch in ds:
        total += train_step(batch)
    print(epoch, float(total))
