"""The first call made twice: what is compared, what is put back, and what is not run a second time."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PRELUDE = """
import json
import tensorflow as tf
from headstart.accelerate.cache.traces import keep, trial

def tried(kept, traced, inputs, names=False):
    \"\"\"What the program gets, whether they agreed, and how often each ran.\"\"\"
    ran = {"kept": 0, "traced": 0}
    def counted(name, function):
        def call(given):
            ran[name] += 1
            return function._call_flat(given, function.captured_inputs)
        return call
    try:
        result, same = trial.results_agree(
            keep.definitions(traced), list(inputs), list(traced.captured_inputs), counted("kept", kept), counted("traced", traced))
    except trial.NotRepeatable as problem:
        return {"not": str(problem), **ran}
    return {"same": same, "result": float(result), **ran}

v = tf.Variable(1.0)
spec = tf.TensorSpec((), tf.float32)

def concrete(function, *specs):
    return tf.function(function, autograph=False).get_concrete_function(*(specs or (spec,)))

def adds(x):
    v.assign_add(x)
    return v * 2.0

def adds_more(x):
    v.assign_add(x + 1.0)
    v.assign_sub(1.0)
    return v * 2.0

def adds_wrongly(x):
    v.assign_add(x)
    result = v * 2.0
    v.assign_add(0.5)
    return result
"""


def run(code: str) -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", PRELUDE + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.tensorflow
def test_variables_are_put_back_and_differences_are_seen() -> None:
    """The traced one runs once and last; another value left in a variable is a difference as well."""
    found = run("""
x = [tf.constant(3.0)]
out = {}
for name, kept in (("itself", adds), ("another way", adds_more), ("wrong", adds_wrongly)):
    v.assign(1.0)
    out[name] = tried(concrete(kept), concrete(adds), x)
    out[name]["v"] = float(v)
tf.config.experimental.enable_op_determinism()
v.assign(1.0)
out["certain"] = tried(concrete(adds), concrete(adds), x)
print(json.dumps(out))
""")
    agrees = {"same": True, "result": 8.0, "kept": 2, "traced": 1, "v": 4.0}
    assert found == {
        "itself": agrees,
        "another way": agrees,
        "wrong": {**agrees, "same": False},
        "certain": {"same": True, "result": 8.0, "kept": 1, "traced": 1},
    }


@pytest.mark.tensorflow
def test_what_cannot_be_done_twice_is_not() -> None:
    found = run("""
def prints(x):
    tf.print(x)
    return x
def draws(x):
    return x + tf.random.uniform(())
def draws_seeded(x):
    return x + tf.random.uniform((), seed=4)
table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
def fills(x):
    table.insert(tf.constant([1], tf.int64), [x])
    return x
x = [tf.constant(3.0)]
print(json.dumps({f.__name__: tried(concrete(f), concrete(f), x) for f in (prints, draws, draws_seeded, fills)}))
""")
    assert found["prints"] == {"not": "it runs PrintV2", "kept": 0, "traced": 0}
    assert found["draws"] == {"not": "it runs RandomUniform", "kept": 0, "traced": 0}
    assert found["fills"]["kept"] == found["fills"]["traced"] == 0  # type: ignore[index]
    # Its own generator goes on from call to call, so that its results say nothing; the traced one still runs once.
    assert found["draws_seeded"]["same"] is None  # type: ignore[index]
    assert found["draws_seeded"]["traced"] == 1  # type: ignore[index]


@pytest.mark.tensorflow
def test_data_are_fetched_once() -> None:
    found = run("""
def reads(iterator):
    return next(iterator) * v
iterator = iter(tf.data.Dataset.range(1, 4).map(lambda n: tf.cast(n, tf.float32)))
function = concrete(reads, iterator._type_spec)
inputs = [iterator._iterator_resource]
out = {"first": tried(function, function, inputs), "next": float(next(iterator)), "after": float(next(iterator))}
out["at the end"] = tried(function, function, inputs)
print(json.dumps(out))
""")
    assert found["first"] == {"same": True, "result": 1.0, "kept": 2, "traced": 1}
    assert (found["next"], found["after"]) == (2.0, 3.0)
    assert found["at the end"] == {"not": "OutOfRangeError before it was run", "kept": 0, "traced": 0}
