"""What two runs must have in common to be compared fairly: the machine, and what is set on it.

Read by the launcher when the program has ended, so that it costs the program nothing. Values only of variables
that change how Python or TensorFlow start or compute; what else is in an environment is nobody's business.
"""

from __future__ import annotations

import os

VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "KERAS_BACKEND",
    "LD_PRELOAD",
    "MKL_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
    "PYTHONDEVMODE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONMALLOC",
    "PYTHONOPTIMIZE",
    "TF_DETERMINISTIC_OPS",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_FUNCTION_JIT_COMPILE_DEFAULT",
    "TF_GRAPH_CACHING",
    "TF_NUM_INTEROP_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_USE_LEGACY_KERAS",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
)


def surroundings() -> dict[str, str]:
    system = os.uname()
    found = {
        "machine": system.machine,
        "processor": processor(),
        "cores": str(cores()),
        "system": f"{system.sysname} {system.release}",
    }
    found.update((name, os.environ[name]) for name in VARIABLES if name in os.environ)
    return {name: value for name, value in found.items() if value}


def cores() -> int:
    """Those that this process may use: a container or `taskset` may give fewer than there are."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return os.cpu_count() or 1


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""
