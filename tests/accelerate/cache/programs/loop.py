import keras
import shown
import tensorflow as tf

shown.start()
x, y = shown.data()
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dropout(0.5),
                          keras.layers.BatchNormalization(), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(0.01)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
mean = keras.metrics.Mean()


@tf.function
def step(xb, yb):
    with tf.GradientTape() as tape:
        loss = loss_fn(yb, model(xb, training=True))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    mean.update_state(loss)
    return loss


@tf.function
def accuracy(xb, yb):
    return tf.reduce_mean(tf.cast(tf.argmax(model(xb), 1) == yb, tf.float32))


for epoch in range(3):
    for at in range(0, 64, 8):
        loss = step(tf.constant(x[at:at + 8]), tf.constant(y[at:at + 8]))
    print(epoch, float(loss), float(mean.result()), float(accuracy(tf.constant(x), tf.constant(y))))
print(step.experimental_get_tracing_count(), accuracy.experimental_get_tracing_count())
shown.end(model, optimizer.variables, mean.variables)
