import tensorflow as tf

from .data import load
from .model import build


def main():
    model = build()
    optimizer = tf.keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    for epoch in range(5):
        for x, y in load(2000):
            loss = step(x, y)
        print("epoch", epoch, float(loss) < 100)


if __name__ == "__main__":
    main()
