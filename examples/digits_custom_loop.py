"""Train on scikit-learn's digits with a training loop of one's own around a `tf.function`.

The way that research code is often written: a `tf.data` pipeline, a `tf.function` train step with a gradient
tape, and a plain Python loop over batches and epochs.
"""

import tensorflow as tf
from sklearn.datasets import load_digits

EPOCHS = 3
BATCH_SIZE = 32
LEARNING_RATE = 0.05


class TwoLayers(tf.Module):
    """A perceptron with one hidden layer."""

    def __init__(self, hidden=64):
        super().__init__()
        draw = tf.random.Generator.from_seed(0)
        self.w1 = tf.Variable(draw.normal([64, hidden], stddev=0.15), name="w1")
        self.b1 = tf.Variable(tf.zeros([hidden]), name="b1")
        self.w2 = tf.Variable(draw.normal([hidden, 10], stddev=0.15), name="w2")
        self.b2 = tf.Variable(tf.zeros([10]), name="b2")

    def __call__(self, pictures):
        hidden = tf.nn.relu(pictures @ self.w1 + self.b1)
        return hidden @ self.w2 + self.b2


def make_dataset():
    digits = load_digits()
    pictures = (digits.data / 16.0).astype("float32")
    data = tf.data.Dataset.from_tensor_slices((pictures, digits.target))
    return data.shuffle(len(pictures), seed=0).batch(BATCH_SIZE, drop_remainder=True).prefetch(2)


def main():
    model = TwoLayers()

    @tf.function
    def train_step(pictures, labels):
        with tf.GradientTape() as tape:
            logits = model(pictures)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        variables = model.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(LEARNING_RATE * gradient)
        return loss

    dataset = make_dataset()
    for epoch in range(EPOCHS):
        total = tf.constant(0.0)
        steps = 0
        for pictures, labels in dataset:
            total += train_step(pictures, labels)
            steps += 1
        print(f"epoch {epoch + 1}: mean loss {total / steps:.4f}")


if __name__ == "__main__":
    main()
