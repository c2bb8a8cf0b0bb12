"""Functions that call other functions, and what a program sees of those afterwards."""

import tempfile

import shown
import tensorflow as tf

shown.start()
x, y = shown.data()
x *= 0.2
xs, ys = tf.constant(x), tf.constant(y)
few, few_y = tf.constant(x[:8]), tf.constant(y[:8])
FACTOR = 2.0
w = tf.Variable(tf.random.stateless_normal((8, 3), seed=(4, 1)))
offset = tf.constant([0.25, 0.5, 0.75])


@tf.function
def scaled(v, training=False, *, how=("plain", 1)):
    if training:
        v = v + tf.random.uniform(tf.shape(v)) * 0.01
    for _ in tf.range(how[1]):
        v = v * 1.5
    return {"out": tf.tanh(v) * FACTOR, "offset": offset}


@tf.function
def loss_of(v, labels):
    found = scaled(v @ w, training=True)
    logits = found["out"] + found["offset"]
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


@tf.function
def step(v, labels):
    with tf.GradientTape() as tape:
        loss = loss_of(v, labels)
    grad = tape.gradient(loss, w)
    w.assign_sub(0.1 * grad)
    return loss


@tf.function
def judged(v, labels):
    """Another one that calls the same functions: what they have traced by now is part of it."""
    found = scaled(v @ w, how=("twice", 2))
    return loss_of(v, labels) + tf.reduce_mean(found["out"])


def counts():
    print("traces", [one.experimental_get_tracing_count() for one in (scaled, loss_of, step, judged)])


counts()
for at in range(0, 64, 8):
    loss = step(tf.constant(x[at:at + 8]), tf.constant(y[at:at + 8]))
print(float(loss))
counts()
print(float(judged(few, few_y)), float(judged(xs, ys)))
counts()

# What they were traced with is gone; their traces stay what they are, and new ones are made with the new value.
FACTOR = 5.0
print(float(loss_of(few, few_y)), float(tf.reduce_sum(scaled(few @ w, True)["out"])))
counts()
with tf.GradientTape() as tape:
    loss = loss_of(few, few_y)
print(float(loss), float(tf.reduce_sum(tape.gradient(loss, w))))
print(float(step(few, few_y)), float(tf.reduce_sum(scaled(few @ w)["out"])))
with tf.GradientTape() as tape:
    loss = step(few, few_y)
print(float(loss))
counts()
print(float(tf.reduce_sum(scaled(tf.ones((3, 3)), True)["out"])), float(loss_of(xs, ys)))
counts()


class Net(tf.Module):
    def __init__(self, seed):
        super().__init__()
        self.w = tf.Variable(tf.random.stateless_normal((8, 3), seed=(seed, 2)), name="w")
        self.power = seed

    @tf.function
    def __call__(self, v):
        return self.raised(v @ self.w)

    @tf.function(input_signature=[tf.TensorSpec((None, 3))])
    def raised(self, v):
        return v ** self.power

    @tf.function
    def both(self, v, other):
        return self(v) + other.raised(v @ other.w)

    @tf.function
    def train(self, v):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(v) ** 2) + tf.reduce_mean(self.raised(v @ self.w))
        self.w.assign_sub(0.001 * tape.gradient(loss, self.w))
        return loss


def of(net):
    return [getattr(net, name).experimental_get_tracing_count() for name in ("__call__", "raised", "train", "both")]


first, second = Net(2), Net(3)
for net in (first, second):
    for _ in range(3):
        loss = net.train(few)
    print(float(loss), of(net))
print(float(tf.reduce_sum(first.both(few, second))), of(first), of(second))
first.power = 4
print(float(tf.reduce_sum(first(few))), float(tf.reduce_sum(first(xs))), of(first))
with tf.GradientTape() as tape:
    total = tf.reduce_sum(first(few) * second(few))
print([float(tf.reduce_sum(g)) for g in tape.gradient(total, [first.w, second.w])])

folder = tempfile.mkdtemp()
tf.saved_model.save(second, folder)
loaded = tf.saved_model.load(folder)
print(sorted(name for name in ("__call__", "raised", "train", "both") if callable(getattr(loaded, name, None))))
print(float(tf.reduce_sum(loaded(few))), float(loaded.train(few)), float(second.train(few)))
print(len(second.raised._list_all_concrete_functions()), second.raised.pretty_printed_concrete_signatures())


# What is not kept: an inner function with variables of its own, or one that is called in a scope of its own.
class Lazy:
    def __init__(self):
        self.v = None

    @tf.function
    def add(self, v):
        if self.v is None:
            self.v = tf.Variable(3.0)
        return v + self.v


lazy = Lazy()


@tf.function
def around_lazy(v):
    return lazy.add(v) * 2.0


@tf.function
def tripled(v):
    return v * 3.0


@tf.function
def on_device(v):
    with tf.device("/cpu:0"):
        return tripled(v) + 1.0


@tf.function
def taking(net, v):
    return net.raised(v @ net.w)


@tf.function
def handing_on(v):
    return taking(first, v) - taking(second, v)


for _ in range(2):
    print(float(tf.reduce_sum(around_lazy(xs))), float(tf.reduce_sum(on_device(xs))))
    print(float(tf.reduce_sum(tripled(xs))), float(tf.reduce_sum(handing_on(few))))
print(tripled.experimental_get_tracing_count(), taking.experimental_get_tracing_count())

# Another variable of the same form under the same name: traces hold the old one.
old, w = w, tf.Variable(tf.ones((8, 3)))
with tf.GradientTape() as tape:
    loss = loss_of(few, few_y)
print(float(loss), [grad is None for grad in tape.gradient(loss, [old, w])])
shown.bits([old, first.w, second.w])
shown.streams()
