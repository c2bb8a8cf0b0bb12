"""The probes, one signal a file. This table says which module each is handed, and is all that is loaded early.

A probe is a module with `install(bus, module)`. It is imported only when its library module has been loaded,
and it never imports TensorFlow or Keras itself.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...record.signals import PROBE_OFF
from ..bus import Bus

_TF = "tensorflow.python"
_KERAS = "keras.src"

TABLE: dict[str, tuple[str, ...]] = {
    "tensorflow": ("versions",),
    "keras": ("versions",),
    "socket": ("network",),
    "ssl": ("network",),
    "subprocess": ("processes",),
    f"{_TF}.eager.context": ("context",),
    f"{_TF}.eager.polymorphic_function.polymorphic_function": ("functions",),
    f"{_TF}.eager.polymorphic_function.concrete_function": ("concretes",),
    f"{_TF}.eager.polymorphic_function.tracing_compilation": ("traces",),
    f"{_TF}.autograph.pyct.transpiler": ("autograph",),
    f"{_TF}.eager.backprop": ("tapes",),
    f"{_TF}.ops.gradients_util": ("tapes",),
    f"{_TF}.client.session": ("sessions",),
    "tensorflow.lite.python.interpreter": ("lite",),
    "ai_edge_litert.interpreter": ("lite",),
    "tflite_runtime.interpreter": ("lite",),
    f"{_TF}.ops.resource_variable_ops": ("variables",),
    f"{_TF}.data.ops.iterator_ops": ("iterators",),
    f"{_TF}.data.ops.dataset_ops": ("datasets",),
    f"{_TF}.distribute.input_lib": ("iterators",),
    f"{_TF}.ops.script_ops": ("pycalls",),
    f"{_TF}.framework.ops": ("hostsyncs", "holders"),
    f"{_TF}.framework.constant_op": ("conversions",),
    f"{_TF}.framework.tensor_util": ("conversions",),
    f"{_TF}.data.util.structure": ("conversions",),
    f"{_TF}.ops.ragged.ragged_factory_ops": ("conversions",),
    f"{_TF}.ops.array_ops": ("concats",),
    f"{_TF}.eager.polymorphic_function.eager_function_run": ("eagerswitch",),
    f"{_TF}.data.ops.debug_mode": ("eagerswitch",),
    f"{_TF}.data.experimental.ops.iterator_model_ops": ("looks",),
    f"{_TF}.saved_model.load": ("loading",),
    f"{_TF}.checkpoint.checkpoint": ("loading",),
    f"{_TF}.training.saver": ("loading",),
    f"{_KERAS}.saving.saving_api": ("loading",),
    f"{_KERAS}.backend.common.variables": ("variables",),
    f"{_KERAS}.backend.tensorflow.core": ("variables",),
    f"{_KERAS}.layers.layer": ("layers", "models"),
    f"{_KERAS}.models.functional": ("layers",),
    f"{_KERAS}.models.sequential": ("layers",),
    f"{_KERAS}.optimizers.base_optimizer": ("optimizers",),
    f"{_KERAS}.trainers.trainer": ("compiling", "models"),
    f"{_KERAS}.backend.tensorflow.trainer": ("fitting",),
    f"{_KERAS}.trainers.epoch_iterator": ("fitting",),
    f"{_KERAS}.callbacks.callback_list": ("batches",),
}


def installer(bus: Bus, name: str) -> Callable[[Any], None]:
    """What the import hook calls when `name` has been loaded."""

    def install(module: Any) -> None:
        for probe in TABLE[name]:
            try:
                import_module(f"{__name__}.{probe}").install(bus, module)
            except Exception as error:
                bus.mark(PROBE_OFF, probe, {"module": name, "why": f"{type(error).__name__}: {error}"[:300]})

    return install
