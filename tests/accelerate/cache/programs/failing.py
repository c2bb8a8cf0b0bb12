"""First fits that fail, in programs that go on: what was built by then, what is drawn next, and how it goes on."""

import sys

import keras
import shown
from keras import layers, ops

shown.start()
x, y = shown.data()


def functional(outputs=1, last=None):
    inputs = keras.Input((8,))
    hidden = layers.Dropout(0.2)(layers.Dense(6, "relu")(inputs))
    found = [layers.Dense(3, "softmax")(hidden) for _ in range(outputs)]
    if last is not None:
        found = [last(one) for one in found]
    return keras.Model(inputs, found if outputs > 1 else found[0])


def unbuilt():
    return keras.Sequential([layers.Dense(6, "relu"), layers.Dropout(0.2), layers.Dense(3, "softmax")])


def value(variable):
    try:
        return variable.numpy().tolist()
    except Exception as problem:
        return type(problem).__name__


def state(model):
    print(model.built, [(layer.name, layer.built, layer.path) for layer in model._flatten_layers()])
    for owner in (model, model.optimizer, *model.metrics):
        print(type(owner).__name__, getattr(owner, "built", None))
        for variable in owner.variables:
            print(" ", variable.path, variable.value.name, variable.shape, value(variable))
    loss = model._compile_loss
    print(loss and loss.built, model.metrics_names, model.stop_training)


def attempt(what, model, *data, **compiled):
    print("==", what)
    if compiled:
        model.compile(**compiled)
    try:
        print(model.fit(*data, batch_size=8, epochs=2, verbose=0).history)
    except Exception as problem:
        print(type(problem).__name__, str(problem).split("\n")[0], repr(problem.__context__)[:60])
    state(model)
    shown.streams()


right = {"optimizer": "adam", "loss": "sparse_categorical_crossentropy", "metrics": ["accuracy"]}
one_hot = keras.utils.to_categorical(y, 3)
CASES = {
    "metrics": lambda: (functional(), (x, y), {**right, "metrics": ["accuracy", "nonsense"]}),
    "no loss": lambda: (functional(), (x, y), {**right, "loss": None}),
    "unknown loss": lambda: (functional(), (x, y), {**right, "loss": "nonsense"}),
    "labels": lambda: (functional(), (x, one_hot[:, :2]), {**right, "loss": "categorical_crossentropy"}),
    "inputs": lambda: (functional(), (x[:, :5], y), right),
    "unbuilt": lambda: (unbuilt(), (x, one_hot[:, :2]), {**right, "loss": "categorical_crossentropy"}),
    "unbuilt metrics": lambda: (unbuilt(), (x, y), {**right, "metrics": ["nonsense"]}),
    "fewer labels": lambda: (functional(2), (x, (y, y, y)), right),
    "no gradient": lambda: (
        functional(last=lambda one: ops.cast(ops.argmax(one, -1, keepdims=True), "float32")), (x, y), {**right, "loss": "mse"},
    ),
}  # fmt: skip
for name in sys.argv[1:] or CASES:
    model, data, compiled = CASES[name]()
    attempt(name, model, *data, **compiled)
    labels = (y, y) if len(model.outputs or [0]) == 2 else y
    attempt("and again", model, x, labels)
    loss = "mse" if name == "no gradient" else right["loss"]
    metrics = [["accuracy"], ["mse"]] if isinstance(labels, tuple) else ["accuracy"]
    attempt("compiled again", model, x, labels, optimizer=keras.optimizers.RMSprop(), loss=loss, metrics=metrics)
