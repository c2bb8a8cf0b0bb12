"""Two programs full of places to change, and the changes. ``«name:value»`` is a place with its usual value."""

from __future__ import annotations

import re

_PLACE = re.compile(r"«(\w+):(.*?)»", re.S)

LOOP = """
import dataclasses, enum, functools, math, os, sys
import numpy as np
import keras, tensorflow as tf
import helper
from helper import shift
import shown

shown.start(«seed:7»)
«before_build:»
SCALE = «scale:1.5»
TABLE = {"a": «table_a:1.0», "b": 2.0}
ORDER = «order:["a", "b"]»
WEIGHTS = np.array([«array:1.0», 2.0, 3.0], "float32")
CONSTANT = tf.constant([«constant:0.5»] * 3)
BIG = tf.constant(np.linspace(0, «big:1.0», 300, dtype="float32"))
FLAG = «flag:False»


class Kind(enum.Enum):
    SQUARE = «enum:2»
    CUBE = 3


@dataclasses.dataclass
class Config:
    power: float = «dataclass_default:1.0»
    kind: Kind = «enum_member:Kind.SQUARE»


class Base:
    factor = «base_attribute:1.0»

    def inherited(self, v):
        return v * «inherited:1.0»

    @property
    def prop(self):
        return «property:1.25»

    @staticmethod
    def static(v):
        return v + «static:0.0»

    @classmethod
    def of_class(cls, v):
        return v * cls.factor


class Thing(Base):
    instances = «class_list:[1, 2]»

    def __init__(self, gain):
        self.gain = gain
        self.nested = {"deep": [0.0, («deep:0.25»,)]}
        self.unused = «unused:1»

    def __call__(self, v, *, keyword=«keyword_default:0.1»):
        v = self.inherited(v) * self.prop + self.nested["deep"][1][0] + keyword
        return self.of_class(self.static(v)) * self.gain * len(self.instances)


def decorated(amount):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args):
            return fn(*args) * amount
        return inner
    return wrap


@decorated(«decorator:1.0»)
def twice(v, by=«default:2.0»):
    return v * by


def make(closed):
    def closure(v):
        def nested(w):
            return w + «nested_constant:0.0»
        return nested(v) * closed
    return closure


closure = make(«closure:1.0»)
part = functools.partial(lambda v, k: v * k, k=«partial:1.0»)
config = Config()
thing = Thing(«gain:1.0»)
«monkeypatch:»
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(3)])
optimizer = keras.optimizers.«optimizer:Adam(0.01)»


def penalty(out):
    total = tf.reduce_sum(out * WEIGHTS * CONSTANT) * TABLE["a"] + tf.reduce_mean(BIG)
    for name in ORDER:
        total = total * 1.01 + TABLE[name]
    if FLAG:
        total = total * 3.0
    if os.environ.get("STRENGTH") == "high" or os.environ.get("OTHER", "«environment_default:no»") == "yes":
        total = total * 7.0
    with open("factor.txt") as file:
        total = total * float(file.read())
    return total + math.pi * «literal:0.0» + config.power * config.kind.value


@tf.function«function_options:»
def step(x, y, k=«step_default:1.0»):
    with tf.GradientTape() as tape:
        out = model(x, training=True)
        loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, out, from_logits=True))
        loss = loss * SCALE + 1e-3 * thing(part(closure(twice(shift(penalty(out)))))) * k
        loss = helper.finish(loss) «expression:»
        loss = loss * tf.nn.relu(tf.constant(0.7)) + np.float32(np.sum([«numpy_value:0.0»]))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return «result:loss»


x, y = shown.data()
x, y = tf.constant(x«dtype:»), tf.constant(y)
for at in range(0, 64, «batch:8»):
    last = step(x[at:at + «batch2:8»], y[at:at + «batch2:8»]«argument:»)
    «between:»
    print([float(part) for part in tf.nest.flatten(last)])
shown.end(model, optimizer.variables)
"""

HELPER = """
import tensorflow as tf

OFFSET = «helper_global:0.5»
UNRELATED = «helper_unrelated:1»


def inner(v):
    return v * «helper_inner:1.0»


def shift(v):
    return inner(v) + OFFSET


def finish(v):
    return v + tf.constant(«helper_constant:0.0»)


def never_called(v):
    return v * «helper_uncalled:1»
"""

FIT = """
import numpy as np
import keras, tensorflow as tf
import shown
from keras import ops

shown.start(«seed:7»)
«config:»
FACTOR = «factor:1.0»


@keras.saving.register_keras_serializable("test")
class Scale(keras.layers.Layer):
    level = «class_attribute:1.0»

    def __init__(self, by=«layer_default:1.5», **more):
        super().__init__(**more)
        self.by = by
        self.note = «note:"a"»

    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1],), initializer="ones", name="w", trainable=«weight_trainable:True»)

    def call(self, v, training=False):
        if training:
            v = v * «training_constant:1.0»
        return v * self.by * self.w * self.level * FACTOR«layer_code:»


def my_loss(y_true, y_pred, smooth=«loss_default:0.0»):
    loss = keras.losses.sparse_categorical_crossentropy(y_true, y_pred)
    return loss + smooth * ops.mean(y_pred)


def my_metric(y_true, y_pred):
    return ops.mean(y_pred) * «metric_constant:1.0»


«monkeypatch:»
inputs = keras.Input((8,))
h = keras.layers.Dense(«units:8», activation=«activation:"relu"», kernel_regularizer=«regularizer:None»,
                       name=«layer_name:"first"»)(inputs)
h = Scale(«layer_argument:»)(h)
h = keras.layers.Dropout(«rate:0.25», seed=«dropout_seed:None»)(h)
h = keras.layers.Lambda(lambda v: v * «lambda_constant:1.0»)(h)
h = «extra_layer:h»
outputs = keras.layers.Dense(3, activation="softmax", use_bias=«use_bias:True»)(h)
model = keras.Model(inputs, outputs)
«after_build:»
model.compile(
    optimizer=keras.optimizers.«optimizer:Adam(learning_rate=0.01)»,
    loss=«loss:my_loss», metrics=[«metrics:my_metric»], loss_weights=«loss_weights:None»,
    steps_per_execution=«steps_per_execution:1», jit_compile=«jit:False», run_eagerly=«eager:False»)
«after_compile:»
x, y = shown.data(«data:»)
print(model.fit(x«x_cast:», y, batch_size=«batch:8», epochs=2, verbose=0, shuffle=«shuffle:False»«fit_options:»).history)
print(model.evaluate(x, y, verbose=0, return_dict=True))
print(model.predict(x, verbose=0)[:1].tolist())
shown.end(model)
"""


def fill(text: str, changes: dict[str, str]) -> str:
    """The program with the changes in place."""
    known = {name for name, _ in _PLACE.findall(text)}
    return _PLACE.sub(lambda place: changes.get(place[1], place[2]) if place[1] in known else place[0], text)


def program(which: str, changes: dict[str, str]) -> dict[str, str]:
    """The files of a program; names of changes that it does not have are an error in the test."""
    files = (
        {"main.py": LOOP, "helper.py": HELPER, "factor.txt": "«file:1.0»"}
        if which == "loop"
        else {"main.py": FIT}
    )
    known = {name for text in files.values() for name, _ in _PLACE.findall(text)}
    assert set(changes) <= known, set(changes) - known
    return {name: fill(text, changes) for name, text in files.items()}


_PATCH_LAYER = """
def patched(self, v):
    return keras.ops.relu(keras.ops.matmul(v, self.kernel)) * 0.5
keras.layers.Dense.call = patched
"""
_PATCH_LOSS = """
import keras.src.losses.losses as inside
before = keras.losses.sparse_categorical_crossentropy
def patched(*args, **more):
    return before(*args, **more) * 2.0
keras.losses.sparse_categorical_crossentropy = patched
"""

#: Name → (program, changes, environment variables).
MUTATIONS: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    **{
        name: ("loop", {name: value}, {})
        for name, value in {
            "seed": "8",
            "scale": "2.5",
            "table_a": "3.0",
            "order": '["b", "a", "b"]',
            "array": "9.0",
            "constant": "0.75",
            "big": "2.0",
            "flag": "True",
            "enum": "5",
            "enum_member": "Kind.CUBE",
            "dataclass_default": "4.0",
            "base_attribute": "2.0",
            "inherited": "3.0",
            "property": "2.25",
            "static": "1.0",
            "class_list": "[1, 2, 3]",
            "deep": "4.0",
            "unused": "2",
            "keyword_default": "0.9",
            "decorator": "2.0",
            "default": "5.0",
            "nested_constant": "1.0",
            "closure": "2.0",
            "partial": "3.0",
            "gain": "2.0",
            "optimizer": "Adam(0.02)",
            "literal": "1.0",
            "step_default": "2.0",
            "expression": "* 1.5",
            "numpy_value": "2.0",
            "result": "(loss, loss * 2)",
            "dtype": '.astype("float64")',
            "batch2": "4",
            "argument": ", k=3.0",
            "helper_global": "1.5",
            "helper_unrelated": "2",
            "helper_inner": "2.0",
            "helper_constant": "1.0",
            "helper_uncalled": "2",
            "file": "2.0",
            "environment_default": "yes",
            "function_options": "(autograph=False)",
        }.items()
    },
    "loop optimizer beta": ("loop", {"optimizer": "Adam(0.01, beta_1=0.5)"}, {}),
    "loop other optimizer": ("loop", {"optimizer": "SGD(0.01, momentum=0.9)"}, {}),
    "loop clipped": ("loop", {"optimizer": "Adam(0.01, clipnorm=0.1)"}, {}),
    "loop environment": ("loop", {}, {"STRENGTH": "high"}),
    "loop environment other": ("loop", {}, {"OTHER": "yes"}),
    "loop jit": ("loop", {"function_options": "(jit_compile=False)"}, {}),
    "loop reduce": ("loop", {"function_options": "(reduce_retracing=True)", "batch2": "at // 8 % 3 + 4"}, {}),
    "loop signature": (
        "loop",
        {
            "function_options": "(input_signature=[tf.TensorSpec((None, 8)), tf.TensorSpec((None,), tf.int64)])"
        },
        {},
    ),
    "loop global changed in between": ("loop", {"between": "SCALE = SCALE + 1"}, {}),
    "loop attribute changed in between": (
        "loop",
        {"between": "thing.gain += 1; batch = 8", "batch2": "8 - at // 32"},
        {},
    ),
    "loop patched function": ("loop", {"monkeypatch": "tf.nn.relu = lambda v: v * 2.0"}, {}),
    "loop patched with the library's": ("loop", {"monkeypatch": "tf.nn.relu = tf.nn.softplus"}, {}),
    "loop patched layer": ("loop", {"monkeypatch": _PATCH_LAYER}, {}),
    "loop patched loss": ("loop", {"monkeypatch": _PATCH_LOSS}, {}),
    "loop patched numpy": ("loop", {"monkeypatch": "np.sum = lambda v: 5.0"}, {}),
    "loop patched constant": ("loop", {"monkeypatch": "math.pi = 3.0", "literal": "1.0"}, {}),
    "loop patched constant again": ("loop", {"monkeypatch": "math.pi = 4.0", "literal": "1.0"}, {}),
    "loop patched with a partial": (
        "loop",
        {"monkeypatch": "tf.nn.relu = functools.partial(lambda v, k: v * k, k=3.0)"},
        {},
    ),
    "loop patched with another partial": (
        "loop",
        {"monkeypatch": "tf.nn.relu = functools.partial(lambda v, k: v * k, k=4.0)"},
        {},
    ),
    "loop patched with a method": (
        "loop",
        {"monkeypatch": "Thing.scaled = lambda self, v: v * self.gain * 2.0; tf.nn.relu = Thing(5.0).scaled"},
        {},
    ),
    "loop patched with another method": (
        "loop",
        {"monkeypatch": "Thing.scaled = lambda self, v: v * self.gain * 2.0; tf.nn.relu = Thing(6.0).scaled"},
        {},
    ),
    "loop patched registry": (
        "loop",
        {
            "monkeypatch": "import keras.src.activations as a; a.ALL_OBJECTS_DICT['relu'] = keras.activations.tanh"
        },
        {},
    ),
    "loop patched method": ("loop", {"monkeypatch": "Thing.inherited = lambda self, v: v * 4.0"}, {}),
    "loop patched instance": ("loop", {"monkeypatch": "thing.inherited = lambda v: v * 6.0"}, {}),
    "loop patched helper": ("loop", {"monkeypatch": "helper.inner = lambda v: v * 8.0"}, {}),
    "loop patched builtin": ("loop", {"monkeypatch": "len = lambda v: 9"}, {}),
    "loop list grown": ("loop", {"monkeypatch": "Thing.instances.append(3)"}, {}),
    "loop dictionary changed": ("loop", {"monkeypatch": 'TABLE["b"] = 5.0'}, {}),
    "loop added attribute": ("loop", {"monkeypatch": "Thing.prop = property(lambda self: 9.0)"}, {}),
    "loop seed unset": ("loop", {"before_build": "tf.random.set_seed(3)"}, {}),
    "loop image format": (
        "loop",
        {"before_build": 'keras.config.set_image_data_format("channels_first")'},
        {},
    ),
    "loop epsilon": ("loop", {"before_build": "keras.config.set_epsilon(1e-2)"}, {}),
    **{
        f"fit {name}": ("fit", {name: value}, {})
        for name, value in {
            "seed": "8",
            "factor": "2.0",
            "class_attribute": "2.0",
            "layer_default": "2.5",
            "note": '"b"',
            "weight_trainable": "False",
            "training_constant": "2.0",
            "layer_code": " * 2.0",
            "loss_default": "0.5",
            "metric_constant": "2.0",
            "units": "9",
            "activation": '"tanh"',
            "regularizer": '"l2"',
            "layer_name": '"other"',
            "layer_argument": "by=3.0",
            "rate": "0.5",
            "dropout_seed": "4",
            "lambda_constant": "2.0",
            "extra_layer": "keras.layers.LayerNormalization()(h)",
            "use_bias": "False",
            "optimizer": "Adam(learning_rate=0.1)",
            "loss": '"sparse_categorical_crossentropy"',
            "metrics": '"accuracy"',
            "loss_weights": "2.0",
            "steps_per_execution": "4",
            "jit": "True",
            "eager": "True",
            "data": "n=96",
            "x_cast": '.astype("float64")',
            "batch": "16",
            "shuffle": "True",
            "fit_options": ", class_weight={0: 2.0, 1: 1.0, 2: 1.0}",
        }.items()
    },
    "fit activation function": ("fit", {"activation": "lambda v: ops.relu(v) * 0.5"}, {}),
    "fit frozen": ("fit", {"after_build": "model.layers[1].trainable = False"}, {}),
    "fit attribute set later": ("fit", {"after_compile": "model.layers[2].by = 5.0"}, {}),
    "fit rate set later": ("fit", {"after_compile": "model.layers[3].rate = 0.75"}, {}),
    "fit learning rate set later": ("fit", {"after_compile": "model.optimizer.learning_rate = 0.5"}, {}),
    "fit beta": ("fit", {"optimizer": "Adam(learning_rate=0.01, beta_2=0.9)"}, {}),
    "fit schedule": (
        "fit",
        {"optimizer": "Adam(keras.optimizers.schedules.ExponentialDecay(0.01, 3, 0.5))"},
        {},
    ),
    "fit decay": ("fit", {"optimizer": "Adam(learning_rate=0.01, weight_decay=0.1)"}, {}),
    "fit accumulation": ("fit", {"optimizer": "Adam(learning_rate=0.01, gradient_accumulation_steps=2)"}, {}),
    "fit policy": ("fit", {"config": 'keras.config.set_dtype_policy("mixed_bfloat16")'}, {}),
    "fit floatx": ("fit", {"config": 'keras.config.set_floatx("float64")'}, {}),
    "fit epsilon": ("fit", {"config": "keras.config.set_epsilon(1e-1)"}, {}),
    "fit no determinism": (
        "fit",
        {
            "config": "tf.config.experimental.disable_op_determinism() if 0 else None; tf.config.optimizer.set_experimental_options({'remapping': False})"
        },
        {},
    ),
    "fit patched layer": ("fit", {"monkeypatch": _PATCH_LAYER}, {}),
    "fit patched loss": ("fit", {"monkeypatch": _PATCH_LOSS}, {}),
    "fit patched ops": ("fit", {"monkeypatch": "ops.mean = lambda v: 3.0"}, {}),
    "fit patched base layer": (
        "fit",
        {"monkeypatch": "keras.layers.Dropout.call = lambda self, v, training=False: v * 2.0"},
        {},
    ),
    "fit patched subclass": (
        "fit",
        {
            "monkeypatch": "keras.layers.Dropout.__call__ = lambda self, *a, **k: keras.layers.Layer.__call__(self, *a, **k) * 2.0"
        },
        {},
    ),
    "fit renamed class": ("fit", {"monkeypatch": "Scale.__name__ = 'Other'"}, {}),
}

#: Changes that no trace can see: a kept trace must be used all the same.
HARMLESS = {
    "unused",
    "helper_unrelated",
    "helper_uncalled",
    "fit learning rate set later",
    "optimizer",
    "fit optimizer",
}

#: Changes that need not change the result: there the test is that the cache does no harm.
MAY_BE_SAME = {
    "unused",
    "helper_unrelated",
    "helper_uncalled",
    "function_options",
    "dtype",
    "loop global changed in between",
    "loop jit",
    "loop image format",
    "loop signature",
    "loop reduce",
    "loop epsilon",
    "fit note",
    "fit loss",
    "fit x_cast",
    "fit epsilon",
    "fit eager",
    "fit jit",
    "fit steps_per_execution",
    "fit no determinism",
    "fit renamed class",
}
