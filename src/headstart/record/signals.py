"""The catalogue of signals: every kind of span, mark and counter that a run file may hold.

This is the contract between `capture` (which writes them) and `analyse`/`advise` (which read them).
Times are monotonic nanoseconds. `site` is always `[file, line, function]` of the innermost line of the
user's own code at the time, or absent. Attributes marked `?` may be absent.

A span belongs to one thread and spans of one thread nest; its parent is the span around it.
"""

from __future__ import annotations

# --- spans: the process -----------------------------------------------------------------------------
IMPORT = "import"  # name: module. site? (of a line of the program), file?, failed?
NATIVE = "native"  # name: library path. step: "create" | "exec" | "dlopen". bytes?
EXTERNAL = "external-wait"  # name: what was waited for. what: "connect"|"read"|"write"|"dns"|"process"; site?
SLEEP = "sleep"  # time.sleep in the main thread. site?
SHUTDOWN = "shutdown"  # from the end of the main program to the last Python code that runs
OWN = "headstart"  # headstart's own work that could not be kept out of the program's time

# --- spans: TensorFlow's runtime ------------------------------------------------------------------------
DEVICE_INIT = "device-init"  # name: "context" | "physical-devices" | "list"
TRACE = "trace"
"""One trace of one tf.function. name: Python name. Attributes:
fn: int, one number per tf.function object; code: "file:line:name" identity of the Python code;
file, line: where the function is defined (absent when that is not user code);
site?: the user's call; n: how many traces this object had before; nodes: ops in the graph (own);
library_nodes?: ops in nested functions; args: [[name, type text], ...] flattened to leaves;
weights?: how many variables the graph trains (or uses, where it trains none); over?: a number for the set of them;
concrete: name of the runtime function; depth: 0 for outermost; jit: bool; variables: how many were created;
failed?: exception name; lines?: [[file, line, nodes], ...] user lines by nodes made, most first;
below?: [[file, line, nodes, repeats], ...] user lines by nodes made in or below them, gradients left out;
forward?: nodes that are not gradients; random?: draws random numbers; python?: [[file, line], ...] Python calls;
consts?: [[file, line, bytes], ...] large constants baked in; owner?: "keras" | "tf.data" | None."""
AUTOGRAPH = "autograph"  # converting Python source, inside a trace. name: function
GRADIENT = "gradient"  # building the backward pass inside a trace or a TF1 graph
CALL = "call"
"""One call of a tf.function from eager code (outermost). name: Python name. fn, code, site?, file?, line?;
under?: kind of the span of headstart's that it happened under (e.g. "batch")."""
EXECUTE = "execute"
"""The runtime running one concrete function. name: concrete name. first: bool;
cpu: nanoseconds that the calling thread itself was running (or ready to run). In a first call that is placing,
optimising and instantiating the graph (the kernels run on other threads); jit: bool. Only the first calls of
each are kept; of functions that XLA compiles all are: new_shapes: bool (XLA compiles for each set of shapes),
inputs: text."""
SESSION_RUN = "session-run"
"""TF1 Session.run. name: fetches. site?, cpu, ops: ops in the graph, added: ops added since the last run,
first: this set of fetches and feeds was never run before, graph: int; by?: [[file, line, ops], ...] who added;
library?: TensorFlow's own request beside what the line asked for (a saver, a hook)."""
LITE_SETUP = "lite-setup"  # a LiteRT interpreter is made ready. name: "load" | "allocate_tensors". site?
LITE_RUN = "lite-run"  # a LiteRT interpreter runs its model once. site?
MODEL_CALL = "model-call"  # a Keras model called eagerly by user code. name: class. site?
TAPE_GRADIENT = "tape-gradient"  # eager GradientTape.gradient. site?, tape: int, opened: site of its `with`
APPLY_GRADIENTS = "apply-gradients"  # eager optimizer step. site?, optimizer
GRAPH_BUILD = (
    "graph-build"  # TF1 graph construction calls that are worth a span (gradients, minimize, import)
)

# --- spans: building --------------------------------------------------------------------------------------
MODEL_BUILD = "model-build"
"""Constructing models, building layers, symbolic calls. name: what. site?, library?: by a package that the line
called, not by the line itself"""
VARIABLE_INIT = "variable-init"  # name: initializer. shape, bytes, variable?, site?, made?: its layer's line,
# traced?: a node of a graph; lifted?: out of the graph that is traced
LOAD = "load"  # weights or models. name: "load_model" | "load_weights" | ... path, bytes?, site?
OPTIMIZER_BUILD = "optimizer-build"  # name: class. variables, slots, site?
COMPILE = "compile"  # Keras Model.compile. model: int, site?, jit?, eager?
SAVE = "save"  # writing models or checkpoints. name: what. path, bytes?, site?

# --- spans: Keras loops ----------------------------------------------------------------------------------
FIT = "fit"  # name: "fit" | "evaluate" | "predict" | "train_on_batch" | "test_on_batch" | "predict_on_batch"
"""model: int, site?, samples?, batch_size?, epochs?, nested: bool (evaluate inside fit)."""
EPOCH = "epoch"  # name: index
BATCH = "batch"  # name: "train" | "test" | "predict"; steps: how many steps this one execution holds
FIT_SETUP = "fit-setup"  # name: "symbolic-build" | "make-function" | "data-adapter" | ...
CALLBACK = "callback"  # user callbacks. name: class.method

# --- spans: data -------------------------------------------------------------------------------------------
DATASET = "dataset"
"""A tf.data transformation was made. name: "Map", "ParallelMap", "Shuffle" … id, inputs: ids, depth, site?, and
where known: buffer, count, parallel, batch; of a cache in_memory; for functions code, file?, line?."""
ITERATOR = "iterator"  # creating an iterator. name, site?, iterator: int, dataset: id?
ITERATOR_END = "iterator-end"  # an iterator is let go: its pipeline stops what is under way
NEXT = "next"  # waiting for one element in eager code. first: bool, iterator: int, site?, end?: no more
CONVERT = "convert"
"""Turning host data into tensors. name: type. bytes, site?, graph: bool (a constant of a graph); cast?: the type
of the values changed on the way."""

# --- marks ---------------------------------------------------------------------------------------------------
STEP = "step"  # headstart.step()
FIRST_STEP_DONE = "first-step-done"
HOST_SYNC = "host-sync"  # values read from eager tensors, totals so far by site: count, ns, first_ns, last_ns
PYTHON_CALLS = "python-calls"
"""Python called from a graph or a data pipeline. name: function. token, site?, and totals so far: calls, ns,
first_ns, last_ns."""
CONCAT = "concat"  # eager tf.concat, totals so far by site: count, grew, first, last (bytes), ns, first_ns, last_ns
MODEL_CREATED = "model-created"  # name: class. model: int, site?
EAGER_MODEL = "eager-model"  # model.run_eagerly = True, by the user or by compile. model: int, site?
DATA_DEBUG = "data-debug"  # tf.data.experimental.enable_debug_mode. on: bool, site?
RUN_EAGERLY = "run-eagerly"  # tf.config.run_functions_eagerly. on: bool, site?
HOLDER = "memory-holder"
"""A container of tensors or arrays, seen when memory had grown. name: as the user's code calls it. site: where
the user's code was; bytes, items, type, rss, grown (bytes since the first step); most: of a deque with a bound."""
LOOK = "look"
"""What tf.data knows of a running pipeline. iterator: int; cpu: process CPU ns; compute: that of the runtime's
compute threads; nodes, outermost first:
[[name, elements, processing ns, elements buffered, {parameter: value}, inputs], ...]."""
FUNCTION_CREATED = "function-created"  # a tf.function object was made. fn, code, site?
WARM = "warm"  # this process was forked from a warm interpreter
PROBE_OFF = "probe-off"  # a probe could not be installed. name: probe, why

# --- counters --------------------------------------------------------------------------------------------------
RSS = "rss"  # resident bytes
GRAPH_OPS = "graph-ops"  # ops in the default TF1 graph
CPU = "cpu"  # nanoseconds of CPU of the whole process
CPU_MAIN = "cpu-main"  # nanoseconds of CPU of the main thread
QUEUED_MAIN = "queued-main"  # nanoseconds for which the main thread could have run and no processor was free
EAGER_TENSORS = "eager-tensors"  # live eager tensors, where counted
