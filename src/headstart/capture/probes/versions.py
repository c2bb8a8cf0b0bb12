"""Which TensorFlow and Keras this is."""

from __future__ import annotations

import sys
from typing import Any

from .. import registry
from ..bus import Bus


def install(bus: Bus, module: Any) -> None:
    name = module.__name__
    bus.fact(**{name: str(getattr(module, "__version__", "?"))})
    if name == "tensorflow":
        bus.at_close.append(lambda: registry.report(bus))
    if name == "keras":
        config = sys.modules.get("keras.src.backend.config")
        backend = getattr(config, "backend", None)
        if callable(backend):
            bus.fact(keras_backend=str(backend()))
