"""The part of a key that is the same for all functions of a process: versions, machine, flags, configuration."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Sequence
from typing import Any

from ..._version import __version__
from .fingerprint import origin

#: Raised whenever what is stored, or what a key means, changes.
FORMAT = "12"

#: Environment variables that TensorFlow, XLA, Keras and their libraries read, whenever they read them.
_PREFIXES = (
    "TF_",
    "XLA_",
    "KERAS_",
    "ONEDNN_",
    "DNNL_",
    "CUDA_",
    "NVIDIA_",
    "TF2_",
    "OMP_",
    "MKL_",
    "ROCM_",
    "HIP_",
    "AUTOGRAPH_",
)
#: Of those, what says where to log or where to cache and not what to compute.
_HARMLESS = frozenset(
    {"TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL", "TF_CPP_VMODULE", "TF_GRAPH_CACHING", "KERAS_HOME"}
)


def process_parts() -> list[tuple[str, str]]:
    """Fixed once the libraries are loaded; computed once."""
    global _process
    if _process is None:
        _process = [
            ("format", FORMAT),
            ("headstart", __version__),
            ("python", sys.version),
            (
                "python flags",
                f"optimize={sys.flags.optimize} hash={os.environ.get('PYTHONHASHSEED', 'random')}",
            ),
            ("platform", f"{platform.system()} {platform.machine()}"),
            ("cpu", _cpu()),
            *_library_parts(),
        ]
    return list(_process)


_process: list[tuple[str, str]] | None = None


def _cpu() -> str:
    """Model and features: the same graph is optimised and compiled differently on another processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first = file.read().split("\n\n", 1)[0]
    except OSError:
        return platform.processor() or "unknown"
    kept = [
        line
        for line in first.splitlines()
        if line.split("\t")[0] in ("model name", "flags", "Features", "vendor_id")
    ]
    model = next(
        (line.partition(":")[2].strip() for line in kept if line.startswith("model name")), "unknown"
    )
    return f"{model} {hashlib.blake2b(chr(10).join(kept).encode(), digest_size=8).hexdigest()}"


def _library_parts() -> list[tuple[str, str]]:
    import tensorflow as tf

    parts = [
        ("tensorflow", f"{tf.__version__} {tf.version.GIT_VERSION} {tf.version.COMPILER_VERSION}"),
        ("tensorflow place", _place("tensorflow")),
    ]
    return parts + _versions(("keras", "numpy", "ml_dtypes", "optree", "absl", "google.protobuf"))


def _versions(names: Sequence[str]) -> list[tuple[str, str]]:
    """Of those that are loaded."""
    loaded = [(name, sys.modules[name]) for name in names if sys.modules.get(name) is not None]
    return [(name, str(getattr(module, "__version__", "?"))) for name, module in loaded]


def cores() -> str:
    """How many processors and threads this process may use: graphs are optimised for that number."""
    from tensorflow.python.framework import config

    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:
        count = os.cpu_count() or 1
    inter, intra = config.get_inter_op_parallelism_threads(), config.get_intra_op_parallelism_threads()
    return f"{count} {inter} {intra}"


def places(tensors: Sequence[Any]) -> list[str]:
    """The device of each; nothing where there is only one."""
    from tensorflow.python.framework import config

    if len(config.list_logical_devices()) == 1:
        return []
    return [str(tensor.device) for tensor in tensors]


def _place(name: str) -> str:
    return os.path.dirname(getattr(sys.modules.get(name), "__file__", "") or "")


def settle() -> None:
    """Sets TensorFlow's devices up, as the call that is about to be traced does: that leaves marks in its modules, and
    what is kept by a program's first call is looked for by its first call."""
    from tensorflow.python.eager import context

    context.ensure_initialized()


def current_parts() -> list[tuple[str, str]]:
    """What the program can change while it runs: environment variables, configuration, libraries that it loads."""
    state = [*_environment_variables(), *_arithmetic(), *_tensorflow_state(), *_keras_state()]
    return state + _versions(origin.COMPANIONS)


def _environment_variables() -> list[tuple[str, str]]:
    return [
        (f"environment {name}", value)
        for name, value in sorted(os.environ.items())
        if name.startswith(_PREFIXES) and name not in _HARMLESS
    ]


#: The context that every thread begins with.
_DECIMALS = (
    *(28, "ROUND_HALF_EVEN", -999999, 999999, 1, 0),
    ("DivisionByZero", "InvalidOperation", "Overflow"),
)


def _arithmetic() -> list[tuple[str, str]]:
    """How Python and NumPy compute, and how NumPy writes: settings that belong to a thread, not to an object."""
    import numpy

    state: list[tuple[str, Any]] = [
        ("numpy errors", sorted(numpy.geterr().items())),
        ("numpy buffer", numpy.getbufsize()),
        ("numpy text", _without_code(numpy.get_printoptions())),
    ]
    decimal = sys.modules.get("decimal")
    if decimal is not None:
        now = decimal.getcontext()
        traps = tuple(sorted(kind.__name__ for kind, on in now.traps.items() if on))
        context = (now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, traps)
        if context != _DECIMALS:  # else it is the same as where nobody has loaded the module yet
            state.append(("decimals", context))
    return [(label, str(value)) for label, value in state]


def _without_code(settings: Any) -> list[tuple[str, Any]]:
    """The functions among them count by what they do (see ``registries``), not by where they lie."""
    return sorted(
        (name, sorted(value) if isinstance(value, dict) else "a function" if callable(value) else value)
        for name, value in settings.items()
    )


def _tensorflow_state() -> list[tuple[str, str]]:
    from tensorflow.python.eager import context
    from tensorflow.python.eager.polymorphic_function import eager_function_run
    from tensorflow.python.framework import config, ops

    ctx = context.context()
    graph = ops.get_default_graph()
    devices = [(d.device_type, d.name) for d in config.list_logical_devices()]
    rewrites = ctx.function_call_options
    state: list[tuple[str, Any]] = [
        ("devices", devices),
        ("device scope", ctx.device_name),
        ("seed", context.global_seed()),
        ("soft placement", config.get_soft_device_placement()),
        ("tf32", config.tensor_float_32_execution_enabled()),
        ("op determinism", config.is_op_determinism_enabled()),
        ("run eagerly", eager_function_run.RUN_FUNCTIONS_EAGERLY),
        ("jit", config.get_optimizer_jit()),
        ("optimizer options", sorted(config.get_optimizer_experimental_options().items())),
        ("function options", hashlib.blake2b(rewrites.config_proto_serialized, digest_size=8).hexdigest()),
        ("executor", rewrites.executor_type),
        ("synchronous", config.get_synchronous_execution()),
        ("summaries", _summaries()),
        ("variable creators", len(getattr(graph, "_variable_creator_stack", ()) or ())),
        ("attributes", sorted(map(str, graph._attr_scope_map))),
        ("gradient overrides", sorted(map(str, graph._gradient_override_map.items()))),
        ("name scope", ctx.scope_name),
    ]
    return [(f"tensorflow {label}", str(value)) for label, value in state]


def _summaries() -> str:
    """Where ``tf.summary`` writes to. (What captures a writer is not kept; this tells whether there is none.)"""
    from tensorflow.python.ops import summary_ops_v2

    state = summary_ops_v2._summary_state
    recording = state.is_recording
    # A step that is a variable is captured where it is used.
    step = "variable" if hasattr(state.step, "assign_add") else repr(state.step)
    return f"{state.writer is None} {recording if recording is None or recording is True else 'asked'} {step}"


def _keras_state() -> list[tuple[str, str]]:
    if "keras.src.backend.config" not in sys.modules:
        return []
    from keras.src import backend
    from keras.src.backend import config

    state: list[tuple[str, Any]] = [
        ("backend", backend.backend()),
        ("floatx", config.floatx()),
        ("epsilon", config.epsilon()),
        ("image format", config.image_data_format()),
        ("flash attention", config.is_flash_attention_enabled()),
        ("nnx", getattr(config, "is_nnx_enabled", lambda: None)()),
    ]
    return [(f"keras {label}", str(value)) for label, value in state]
