"""Functions whose traces must not be kept, each for its own reason; and one that may."""

import logging
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
import warnings

import keras
import numpy as np
import shown
import tensorflow as tf

shown.start()
x = tf.constant([1.0, 2.0, 3.0])
calls = []
count = 0
numbers = iter(range(100))
generator = np.random.default_rng(3)
table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2]), tf.constant([10, 20])), -1
)
dataset = tf.data.Dataset.range(3)
folder = tempfile.mkdtemp()
checkpoint = tf.train.Checkpoint(value=tf.Variable(4.0)).save(os.path.join(folder, "kept"))
rows = sqlite3.connect(":memory:").execute("SELECT 2.5")
with open(os.path.join(folder, "scale"), "w") as file:
    file.write("1.5")
handle = open(os.path.join(folder, "scale"))
layer = keras.layers.Dense(2)
layer.build((None, 3))
inner_function = tf.function(lambda by, v: v * by.kernel.shape[0])


@tf.function
def kept(v):
    return v * 3.0


@tf.function
def uses_py_function(v):
    return tf.py_function(lambda w: w * 2.0, [v], tf.float32)


@tf.function
def uses_numpy_function(v):
    return tf.numpy_function(lambda w: w * 2, [v], tf.float32)


@tf.function
def uses_table(v):
    return table.lookup(tf.cast(v, tf.int32))


@tf.function
def uses_dataset(v):
    return dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a + b) + tf.cast(v[0], tf.int64)


@tf.function
def draws_python(v):
    return v * random.random()


@tf.function
def draws_numpy(v):
    return v * np.random.rand()


@tf.function
def draws_own(v):
    return v * generator.random()


@tf.function
def reads_clock(v):
    return v * (time.time() * 0.0 + 1.0)


@tf.function
def prints(v):
    print("traced")
    return v * 2.0


@tf.function
def logs(v):
    logging.getLogger("mine").error("traced")
    return v * 2.0


@tf.function
def warns(v):
    warnings.warn("traced", stacklevel=1)
    return v * 2.0


@tf.function
def counts(v):
    global count
    count += 1
    return v * count


@tf.function
def appends(v):
    calls.append(1)
    return v * len(calls)


@tf.function
def iterates(v):
    return v * next(numbers)


@tf.function
def writes(v):
    with open("written.txt", "a") as file:
        file.write("x")
    return v


@tf.function
def lists_folder(v):
    return v * len([name for name in os.listdir(".") if name.endswith(".none")])


@tf.function
def looks_by_tensorflow(v):
    return v * (2.0 if tf.io.gfile.exists("none") else 3.0)


@tf.function
def asks_for_a_terminal(v):
    return v * (2.0 if sys.stdout.isatty() else 3.0)


@tf.function
def loads_checkpoint(v):
    return v * float(tf.train.load_variable(checkpoint, "value/.ATTRIBUTES/VARIABLE_VALUE"))


@tf.function
def asks_cursor(v):
    return v * rows.fetchone()[0]


@tf.function
def reads_open_file(v):
    return v * float(handle.readline())


@tf.function
def calls_function(v):
    return inner_function(layer, v) + 1.0


@tf.function
def reads_variable_now(v):
    with tf.init_scope():
        value = float(layer.kernel.value.read_value()[0, 0]) * 0.0
    return v + value


@tf.function
def evaluates(v):
    return v * eval("2.0")


@tf.function
def sets_numpy(v):
    np.seterr(under="raise")
    return v * 2.0


@tf.function
def sets_a_logger(v):
    logging.getLogger("mine.own").setLevel(7)
    return v * 2.0


@tf.function
def sets_warnings(v):
    warnings.simplefilter("always")
    return v * 2.0


@tf.function
def sets_the_step(v):
    tf.summary.experimental.set_step(5)
    return v * 2.0


FUNCTIONS = (
    kept, uses_py_function, uses_numpy_function, uses_table, uses_dataset, draws_python, draws_numpy, draws_own,
    reads_clock, prints, logs, warns, counts, appends, iterates, writes, lists_folder, looks_by_tensorflow,
    asks_for_a_terminal, loads_checkpoint, asks_cursor, reads_open_file, calls_function, reads_variable_now,
    evaluates, sets_numpy, sets_a_logger, sets_the_step, sets_warnings,
)  # fmt: skip
for function in FUNCTIONS:
    print(function._name, function(x).numpy().tolist())
    print(function._name, function(x).numpy().tolist())
print(count, calls)
print(np.geterr()["under"], logging.getLogger("mine.own").level, warnings.filters[0][0], tf.summary.experimental.get_step())

strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
with strategy.scope():

    @tf.function
    def distributed(v):
        return v * 2.0

    print(distributed(x).numpy().tolist())
    print(strategy.run(distributed, (x,)).numpy().tolist())
shown.streams()
print(open("written.txt").read())
os.unlink("written.txt")
handle.close()
shutil.rmtree(folder)
