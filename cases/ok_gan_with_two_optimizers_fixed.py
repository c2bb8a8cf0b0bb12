# fixed variant of ok_gan_with_two_optimizers.py
import tensorflow as tf

keras = tf.keras
g = keras.Sequential([keras.Input((8,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(16)])
d = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
g_opt, d_opt = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
g_opt.build(g.trainable_variables)
d_opt.build(d.trainable_variables)
bce = keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def step(real):
    noise = tf.random.normal((tf.shape(real)[0], 8))
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
        fake = g(noise, training=True)
        a, b = d(real, training=True), d(fake, training=True)
        d_loss = bce(tf.ones_like(a), a) + bce(tf.zeros_like(b), b)
        g_loss = bce(tf.ones_like(b), b)
    d_opt.apply_gradients(zip(d_tape.gradient(d_loss, d.trainable_variables), d.trainable_variables))
    g_opt.apply_gradients(zip(g_tape.gradient(g_loss, g.trainable_variables), g.trainable_variables))
    return g_loss, d_loss


log = []
for i in range(400):
    losses = step(tf.random.normal((32, 16)))
    if i % 50 == 0:
        log.append([float(v) for v in losses])
print(len(log))
