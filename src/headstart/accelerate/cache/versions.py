"""Which versions the caches know. On any other they switch themselves off: a guess could be a wrong reuse."""

from __future__ import annotations

import inspect
import sys
from typing import Any

#: TensorFlow releases whose tracing was read and tested.
TENSORFLOW = ("2.16", "2.17", "2.18", "2.19", "2.20", "2.21")
#: The same for Keras: these have their steps, layers and losses in the same form.
KERAS = ("3.12", "3.13", "3.14", "3.15")

_SIGNATURES = {
    "_create_concrete_function": ("function_type", "type_context", "func_graph", "tracing_options"),
    "_maybe_define_function": ("args", "kwargs", "tracing_options"),
    "trace_function": ("args", "kwargs", "tracing_options"),
}


def why_unsupported() -> str | None:
    """Why the caches must stay off with the TensorFlow that is being loaded, or ``None``."""
    version = tensorflow_version()
    if version is None or ".".join(version.split(".")[:2]) not in TENSORFLOW:
        return f"TensorFlow {version} is not one of those that the caches know ({', '.join(TENSORFLOW)})"
    return why_unsupported_keras() or _unexpected_form()


def why_unsupported_keras() -> str | None:
    """The same for Keras, which may be loaded long after TensorFlow."""
    keras = sys.modules.get("keras")
    found = getattr(keras, "__version__", None)
    if found is not None and ".".join(found.split(".")[:2]) not in KERAS:
        return f"Keras {found} is not one of those that the caches know ({', '.join(KERAS)})"
    if "tf_keras" in sys.modules:
        return "the old Keras (tf_keras) is not known to the caches"
    return None


def tensorflow_version() -> str | None:
    versions: Any = sys.modules.get("tensorflow.python.framework.versions")
    return getattr(versions, "__version__", None)


def _unexpected_form() -> str | None:
    """A build may carry a version and still differ from what was read."""
    module = sys.modules.get("tensorflow.python.eager.polymorphic_function.tracing_compilation")
    for name, expected in _SIGNATURES.items():
        function = inspect.unwrap(getattr(module, name, lambda: None))
        if tuple(inspect.signature(function).parameters) != expected:
            return f"this TensorFlow's {name} is not the one that the caches know"
    return None
