"""What a program can ask of a function beside calling it, after its trace was found in the cache."""

import re
import tempfile

import keras
import numpy as np
import shown
import tensorflow as tf

shown.start()
x, y = shown.data()
xs = tf.constant(x)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(3)])
weights = tf.Variable(tf.ones((8, 3)))


@tf.custom_gradient
def halved(v):
    return v, lambda upstream: upstream * 0.5


@tf.function
def forward(v):
    return tf.reduce_sum(model(v) * 2.0, axis=1)


@tf.function
def custom(v):
    return halved(tf.reduce_sum(v @ weights))


@tf.function
def checked(v, limit):
    tf.debugging.assert_less(tf.reduce_max(v), limit, message="too large")
    return {"out": v * 2.0, "list": [v, (v + 1.0, v * 3.0)]}


class Module(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(3.0)

    @tf.function(input_signature=[tf.TensorSpec((None,))])
    def times(self, v):
        return v * self.w


module = Module()
for _ in range(2):
    print(forward(xs)[:2].numpy().tolist(), float(custom(xs)), float(module.times(tf.constant([2.0]))[0]))

# Gradients, of the first and second order, forwards, and through another function.
with tf.GradientTape(persistent=True) as tape:
    tape.watch(xs)
    out = tf.reduce_sum(forward(xs) ** 2) + custom(xs)
for grad in tape.gradient(out, [xs, *model.trainable_variables, weights]):
    print(grad.shape, float(tf.reduce_sum(grad)))
with tf.GradientTape() as outer:
    with tf.GradientTape() as tape:
        tape.watch(xs)
        out = tf.reduce_sum(forward(xs) ** 2)
    slope = tf.reduce_sum(tape.gradient(out, xs) ** 2)
print([float(tf.reduce_sum(g)) for g in outer.gradient(slope, model.trainable_variables) if g is not None])
with tf.autodiff.ForwardAccumulator(xs, tf.ones_like(xs)) as accumulator:
    out = forward(xs)
print(float(tf.reduce_sum(accumulator.jvp(out))))


@tf.function
def around(v):
    return forward(v) * 2.0


print(float(tf.reduce_sum(around(xs))))

# Introspection.
print(forward.experimental_get_tracing_count(), custom.experimental_get_tracing_count())
concrete = forward.get_concrete_function(xs)
print(len(concrete.graph.get_operations()), [op.type for op in concrete.graph.get_operations()][:8])
print(concrete.structured_input_signature, concrete.structured_outputs, len(concrete.captured_inputs))
print(len(concrete.variables), concrete(xs)[:1].numpy().tolist())
print(len(concrete.function_def.node_def) if hasattr(concrete, "function_def") else "", concrete.inputs[0].shape)
print(re.sub(r"\d{12,}", "ID", forward.pretty_printed_concrete_signatures()))

# Errors at run time: the text says which line failed. (The stack above it is that of the call that traced.)
for limit in (100.0, 50.0, -100.0):
    try:
        print(tf.nest.map_structure(lambda v: float(tf.reduce_sum(v)), checked(xs, tf.constant(limit))))
    except tf.errors.InvalidArgumentError as problem:
        text = re.sub(r"(_hs[0-9a-f]{16})?_\d+\b", "_N", str(problem))
        print(re.sub(r"File \"[^\"]*/", 'File "', text))

# Saving.
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(module, folder + "/module")
    loaded = tf.saved_model.load(folder + "/module")
    print(float(loaded.times(tf.constant([4.0]))[0]))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    print(model.fit(x, y, epochs=2, batch_size=16, verbose=0).history)
    print(np.sum(model.predict(x, verbose=0)))
    model.save(folder + "/model.keras")
    again = keras.models.load_model(folder + "/model.keras")
    print(np.array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0)))
    print(again.fit(x, y, epochs=1, batch_size=16, verbose=0).history)
    model.export(folder + "/exported", verbose=False)
    loaded = tf.saved_model.load(folder + "/exported")
    print(float(tf.reduce_sum(loaded.serve(xs))))
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    path = checkpoint.save(folder + "/checkpoint")
    print(sorted(name for name, _ in tf.train.list_variables(path)))
shown.end(model)
