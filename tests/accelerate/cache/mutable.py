"""Four programs full of places to change. ``«name:value»`` is a place with its usual value."""

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


CALLS = """
import tensorflow as tf
import shown

shown.start(7)
FACTOR = «factor:1.5»
w = tf.Variable(tf.random.stateless_normal((8, 3), seed=(4, 1)))
other = tf.Variable(tf.ones((8, 3)))
OPTIONS = {"rate": «rate:0.1»}


@tf.function
def innermost(v, times=«innermost_default:2»):
    for _ in range(times):
        v = tf.tanh(v) * «innermost_constant:1.0»
    return v


@tf.function«inner_options:»
def inner(v, flag):
    return innermost(v @ w) * FACTOR if flag else innermost(v @ w, 1)


@tf.function
def outer(v):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(inner(v, «flag:True») ** 2) + tf.reduce_mean(inner(v * 0.5, False))
    w.assign_sub(OPTIONS["rate"] * tape.gradient(loss, w))
    return loss


@tf.function
def last(v):
    return tf.reduce_sum(inner(v, True)) + tf.reduce_sum(other)


x, _ = shown.data()
x = tf.constant(x * 0.1)
«early:»
for at in range(0, 64, 8):
    print(float(outer(x[at:at + 8])))
    «between:»
print(float(last(x[:8])), float(last(x)))
print(inner(x[:8], True).numpy().tolist()[:1], inner(x, False).numpy().tolist()[:1])
print([f.experimental_get_tracing_count() for f in (innermost, inner, outer, last)])
shown.bits([w, other])
shown.streams()
"""

REGISTERS = """
import collections.abc
import keras, tensorflow as tf
import settings
import shown

shown.start(7)


class Own:
    pass


class Kindred:
    pass


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor

    def weighed(self):
        return self.values * «method:2.0»


def as_tensor(value, dtype=None, name=None, as_ref=False):
    return tf.constant(«conversion:1.5»)


@tf.experimental.dispatch_for_api(tf.reverse, {"tensor": Masked})
def reverse(tensor, axis, name=None):
    return tensor.values * «dispatch:3.0»


@tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
def elementwise(function, x):
    return function(x.values * «elementwise:0.5»)


@tf.RegisterGradient("OwnGradient")
def gradient(op, upstream):
    return upstream * «gradient:4.0»


@keras.saving.register_keras_serializable("own")
def by_name(x):
    return x * «by_name:1.25»


tf.register_tensor_conversion_function(Own, as_tensor)
tf.summary.experimental.set_step(«step:1»)
tf.compat.v1.add_to_collection("own", «collection:1.0»)
own, kindred, weight = Own(), Kindred(), tf.Variable(1.0)
weight.by = «on_a_variable:0.75»
NUMBERS = «numbers:{8, 16}»
«kind:»


@tf.function
def step(v, masked, weight):
    with tf.compat.v1.get_default_graph().gradient_override_map({"Identity": "OwnGradient"}):
        same = tf.identity(v)
    v = v * own + tf.gradients(same, v)[0] + keras.saving.get_registered_object("own>by_name")(v)
    v += tf.reverse(masked, [0]) + tf.abs(masked) + masked.weighed()
    v += settings.rate + step.by + next(iter(NUMBERS)) + weight * weight.by + float(tf.summary.experimental.get_step())
    v += sum(tf.compat.v1.get_collection("own"))
    return v * 2.0 if isinstance(kindred, collections.abc.Sequence) else v


step.by = «attribute:0.125»
for at in range(4):
    print(step(tf.constant([0.5 * at]), Masked(tf.constant([1.0 + at])), weight).numpy().tolist())
print(step.experimental_get_tracing_count())
shown.streams()
"""
SETTINGS = """
VALUES = {"rate": «lazy:0.25»}


def __getattr__(name):
    if name not in VALUES:
        raise AttributeError(name)
    return VALUES[name]
"""


def fill(text: str, changes: dict[str, str]) -> str:
    """The program with the changes in place."""
    known = {name for name, _ in _PLACE.findall(text)}
    return _PLACE.sub(lambda place: changes.get(place[1], place[2]) if place[1] in known else place[0], text)


def program(which: str, changes: dict[str, str]) -> dict[str, str]:
    """The files of a program; names of changes that it does not have are an error in the test."""
    files = {
        "loop": {"main.py": LOOP, "helper.py": HELPER, "factor.txt": "«file:1.0»"},
        "fit": {"main.py": FIT},
        "calls": {"main.py": CALLS},
        "registers": {"main.py": REGISTERS, "settings.py": SETTINGS},
    }[which]
    known = {name for text in files.values() for name, _ in _PLACE.findall(text)}
    assert set(changes) <= known, set(changes) - known
    return {name: fill(text, changes) for name, text in files.items()}
