"""Optimised graphs: written as TensorFlow writes them, read by TensorFlow, and nothing is certain that is not checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headstart.accelerate.cache.store import Store

from .harness import run_fresh, same, shown, write

PRELUDE = """
import json, os, pathlib, signal, sys, threading, types
import tensorflow as tf
from tensorflow.core.framework import optimized_function_graph_pb2
from tensorflow.python.eager import context
from headstart.accelerate.cache import graphs, optimised, quiet
from headstart.accelerate.cache.store import Store
from headstart.accelerate.cache.traces import naming

MARK = "hs0123456789abcdef"
folder = pathlib.Path(sys.argv[1])
v = tf.Variable(tf.ones((4, 4)))

@tf.function(autograph=False, experimental_attributes={"_noinline": True})
def apart(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x)

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        y = x
        for _ in range(%(layers)d):
            y = tf.tanh(y @ v + 1.0)
        y = tf.while_loop(lambda n, y: n < 3, lambda n, y: (n + 1, y + tf.reduce_mean(y)), (0, y))[1]
        loss = tf.reduce_sum(apart(y) ** 2)
    v.assign_sub(0.01 * tape.gradient(loss, v))
    return {"loss": loss, "list": [y, (x, y)]}

x = tf.ones((2, 4))
with naming.marked(MARK):
    concrete = step.get_concrete_function(x)
name = naming.name_of(concrete)
assert name == f"__inference_step_{MARK}_0", name

def failed(doing, problem):
    raise problem

engine = types.SimpleNamespace(store=Store(folder / "store"), failed=failed)
"""


def run(code: str, folder: Path, layers: int = 3, **environment: str) -> tuple[dict[str, Any], str]:
    """What the code prints last, and its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE % {"layers": layers} + code, str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1", **environment},
        start_new_session=True,  # a halted process can get the others of its group hung up on
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.mark.tensorflow
def test_it_is_what_tensorflow_writes(tmp_path: Path) -> None:
    """TensorFlow writes the file itself where optimising takes three seconds; so it is halted for as long."""
    found, _ = run(
        """
(folder / "tensorflow").mkdir()
os.putenv("TF_GRAPH_CACHING", str(folder / "tensorflow"))
ready, go = os.pipe()
halting = os.fork()
if not halting:
    import time
    os.read(ready, 1)
    # It optimises for some tenths of a second, from the first millisecond on; on a busy machine, later.
    for running in (0.02, 0.06, 0.2, 0.6):
        time.sleep(running)
        if os.listdir(folder / "tensorflow"):
            break
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(3.1)
        os.kill(os.getppid(), signal.SIGCONT)
    os._exit(0)
with optimised.collected() as taken:
    os.write(go, b"x")
    concrete(x)
os.waitpid(halting, 0)  # it ends by itself: ended by force, it could leave us halted
before = [(f.signature.name, len(f.node_def)) for f in taken[0].partition_graphs[0].library.function]
made = optimised.file_for(name, taken)
theirs = {path.name: path.read_bytes() for path in (folder / "tensorflow").iterdir()}
read = optimized_function_graph_pb2.OptimizedFunctionGraph.FromString
own, other = read(made.content), read(theirs[made.name])
shown = lambda graph: [type(n)(name=n.name, op=n.op, input=n.input, device=n.device).SerializeToString() for n in graph.function_graph.node]
print(json.dumps({
    "nodes": len(own.function_graph.node) > 300,
    "same": shown(own) == shown(other),
    "constants": [n.attr["value"].SerializeToString() for n in own.function_graph.node if n.op == "Const"]
                 == [n.attr["value"].SerializeToString() for n in other.function_graph.node if n.op == "Const"],
    "versions": own.function_graph.versions == other.function_graph.versions,
    "controls": dict(own.node_name_to_control_ret) == dict(other.node_name_to_control_ret),
    "results": [list(own.ret_types), own.num_return_nodes] == [list(other.ret_types), other.num_return_nodes],
    "name": own.name == other.name == name,
    "functions": sorted(len(f.node_def) for f in own.function_graph.library.function)
                 == sorted(size for _, size in before),
    "all of them are there": {n for n, _ in before} <= {f.signature.name for f in other.function_graph.library.function},
    "marked": all(MARK in f.signature.name for f in own.function_graph.library.function),
}))
""",
        tmp_path,
        layers=80,
    )
    assert all(found.values()), found


WRITE_THEN_READ = """
quiet.is_quiet = lambda: True  # TensorFlow's own words pass
saved = []
with graphs.kept_for(engine, "ab" * 32, name, saved.append):
    out = concrete(x)
print(json.dumps({"loss": float(out["loss"]), "v": v.numpy().tobytes().hex(), "set": os.environ.get("TF_GRAPH_CACHING")}))
print(len(saved), file=sys.stderr)
"""


@pytest.mark.tensorflow
def test_tensorflow_reads_it(tmp_path: Path) -> None:
    plain, _ = run(
        'out = concrete(x)\nprint(json.dumps({"loss": float(out["loss"]), '
        '"v": v.numpy().tobytes().hex(), "set": None}))',
        tmp_path,
    )
    first, wrote = run(WRITE_THEN_READ, tmp_path, TF_CPP_MIN_LOG_LEVEL="0")
    again, read = run(WRITE_THEN_READ, tmp_path, TF_CPP_MIN_LOG_LEVEL="0")
    restored = f"Successfully restored the Tensorflow optimized graph from the cache for the function: {NAME}"
    assert first == again == plain
    assert restored not in wrote
    assert restored in read
    assert (wrote.splitlines()[-1], read.splitlines()[-1]) == ("0", "1")  # how often something was saved
    assert not list((tmp_path / "store" / "work").iterdir())


NAME = "__inference_step_hs0123456789abcdef_0"


@pytest.mark.tensorflow
def test_what_is_not_certain_is_not_kept(tmp_path: Path) -> None:
    found, _ = run(
        """
@tf.function
def other(x):
    return step(x)["loss"] + 1.0

def copied():
    return type(taken[0]).FromString(taken[0].SerializeToString())

with optimised.collected() as nothing:
    pass
with optimised.collected() as several:
    tf.function(lambda: tf.constant(1.0))()
    other(x)
with optimised.collected() as another:
    other(x)  # made ready before
    tf.function(lambda: tf.constant(2.0))()
with optimised.collected() as taken:
    concrete(x)
halves, lacking, twice, mixed = copied(), copied(), copied(), copied()
for part in lacking.partition_graphs:
    del part.library.function[:]
del halves.post_optimization_graph.node[-1]
twice.post_optimization_graph.node.add().CopyFrom(twice.post_optimization_graph.node[0])
mixed.pre_optimization_graph.node.add(name="more", op="NoOp")
out = {key: optimised.file_for(name, value) is not None for key, value in {
    "nothing": nothing, "several": several, "another": another, "lacking": [lacking],
    "twice": [twice], "mixed": [mixed], "right": [copied()]}.items()}
out["counts"] = [len(nothing), len(several), len(another), len(taken)]
try:
    with optimised.collected() as failing:
        raise ValueError
except ValueError:
    out["failing"] = len(failing)
concrete(x)
out["collecting"] = len(context.context().export_run_metadata().function_graphs)
print(json.dumps(out))
""",
        tmp_path,
    )
    assert found == {
        **dict.fromkeys(("nothing", "several", "another", "lacking", "twice", "mixed"), False),
        "right": True,
        "counts": [0, 2, 1, 1],
        "failing": 0,
        "collecting": 0,
    }


PROGRAM = """
import tensorflow as tf

v = tf.Variable(3.0)

@tf.function
def step(x):
    for _ in range(40):
        x = tf.sin(x) * 1.25 + v
    return x

print([float(step(tf.constant(float(n)))) for n in range(3)])
"""


@pytest.mark.tensorflow
def test_a_wrong_graph_is_found_by_verifying(tmp_path: Path) -> None:
    """One that is whole and sealed, but of something else: no run could tell, but ``--verify`` does."""
    script, cache = write(tmp_path / "program", {"main.py": PROGRAM}), tmp_path / "cache"
    plain = run_fresh(script)
    same(plain, run_fresh(script, cache=cache))
    store = Store(cache / "kept-v1")
    (listed,) = [entry for entry in store.entries() if entry.kind == "graphs"]
    entry = store.get("graphs", listed.key)
    assert entry is not None
    wrong = entry.sections["graph"].replace(b"Sin", b"Cos").replace(b"sin", b"cos")
    assert wrong != entry.sections["graph"]
    assert store.put("graphs", listed.key, dict(entry.header), {"graph": wrong})
    assert run_fresh(script, cache=cache).stdout != plain.stdout  # it is this graph that runs
    verified = run_fresh(script, cache=cache, options=("--no-warm", "--verify"))
    same(plain, verified)
    assert verified.count("mismatch") == 1
    assert store.get("graphs", listed.key) is None
    for _ in range(2):
        same(plain, run_fresh(script, cache=cache))


TWINS = (
    PROGRAM
    + """
class Net:
    def __init__(self):
        self.v = tf.Variable(2.0)

    @tf.function
    def step(self, x):
        for _ in range(40):
            x = tf.sin(x) * self.v + tf.random.uniform((), seed=5)
        return x

for net in (Net(), Net(), Net()):
    print([float(net.step(tf.constant(float(n)))) for n in range(3)])
"""
)


@pytest.mark.tensorflow
def test_equal_functions_have_graphs_of_their_own(tmp_path: Path) -> None:
    script, cache = write(tmp_path / "program", {"main.py": TWINS}), tmp_path / "cache"
    plain = run_fresh(script, TF_CPP_MIN_LOG_LEVEL="0")
    used = []
    for _ in range(3):
        ran = run_fresh(script, cache=cache, TF_CPP_MIN_LOG_LEVEL="0")
        same(plain, ran)
        assert shown(ran.stderr) == shown(plain.stderr)  # nothing of what TensorFlow says about its files
        used.append((ran.count("replayed"), ran.count("optimised")))
    assert used == [(2, 0), (4, 4), (4, 4)]


COLLECTING = (
    PROGRAM.replace(
        "print(",
        """from tensorflow.python.eager import context
tf.summary.trace_on(graph=True)
print(""",
    )
    + """
taken = context.context().export_run_metadata()
print([len(one.pre_optimization_graph.node) for one in taken.function_graphs])
"""
)


@pytest.mark.tensorflow
def test_graphs_that_the_program_collects_are_as_many(tmp_path: Path) -> None:
    script, cache = write(tmp_path / "program", {"main.py": COLLECTING}), tmp_path / "cache"
    plain = run_fresh(script)
    assert plain.stdout.endswith("]\n")
    for _ in range(3):
        same(plain, run_fresh(script, cache=cache))


DEVICES = """
import sys
import tensorflow as tf

(processor,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)

@tf.function
def step(x):
    for _ in range(40):
        x = tf.sin(x) * 1.25
    return x, tf.identity(x)

with tf.device(f"CPU:{sys.argv[1]}"):
    x = tf.ones((4,)) * 3.0
for one in step(x):
    print(one.device, one.numpy().tolist())
"""


@pytest.mark.tensorflow
def test_an_argument_on_another_device_is_another_graph(tmp_path: Path) -> None:
    script, cache = write(tmp_path / "program", {"main.py": DEVICES}), tmp_path / "cache"
    plain = [run_fresh(script, str(number)) for number in range(2)]
    used = []
    for number in (0, 1, 0, 1):
        ran = run_fresh(script, str(number), cache=cache)
        same(plain[number], ran)
        used.append((ran.count("replayed"), ran.count("optimised")))
    assert used == [(0, 0), (1, 0), (1, 1), (1, 1)]
