"""The eager context: when devices come up, and how long each concrete function's first run takes.

The calling thread places, optimises and instantiates a graph itself, while kernels run on other threads. So
the CPU time of the calling thread tells a first run's optimisation from its execution.
"""

from __future__ import annotations

from typing import Any

from ...record.signals import DEVICE_INIT, EXECUTE
from ..bus import Bus, Open
from ..threadtime import busy_ns
from ._tools import put_in, state

KEPT_RUNS = 12
"""Runs of each function that are recorded: the first, and enough to know what an ordinary one takes."""


def install(bus: Bus, module: Any) -> None:
    context = module.Context
    _device_init(bus, context)
    _runs(bus, context)


def _device_init(bus: Bus, context: Any) -> None:
    restore: list[Any] = []

    def enter(self: Any) -> Open | None:
        return None if self._initialized else bus.begin(DEVICE_INIT, "context")

    def leave(span: Open | None) -> None:
        if span is not None:
            bus.end(span)
            if restore:
                restore.pop()()  # asked for before every op: after the first time the probe takes itself out

    restore.append(put_in(bus, context, "ensure_initialized", enter, leave, arguments=("self",)))

    def enter_physical(self: Any) -> Open | None:
        return bus.begin(DEVICE_INIT, "physical-devices") if self._physical_devices is None else None

    put_in(
        bus,
        context,
        "_initialize_physical_devices",
        enter_physical,
        lambda span: None if span is None else bus.end(span),
        arguments=("self",),
    )


def _runs(bus: Bus, context: Any) -> None:
    seen: dict[Any, int] = {}
    shapes_seen: set[Any] = set()
    cpu_now = busy_ns

    def enter(name: Any, tensor_inputs: Any) -> Open | None:
        count = seen.get(name, 0)
        seen[name] = count + 1
        compiled = name in state.compiled
        if count >= KEPT_RUNS and not compiled:
            return None
        text = name.decode() if isinstance(name, bytes) else str(name)
        attrs: dict[str, Any] | None = {"first": True, "cpu": cpu_now()} if not count else None
        if compiled:
            # XLA compiles for each set of shapes, though the graph was traced once for all of them.
            shapes = (name, _shapes(tensor_inputs), state.batch_shapes)
            attrs = {**(attrs or {}), "jit": True, "new_shapes": shapes not in shapes_seen}
            attrs["inputs"] = str(state.batch_shapes or shapes[1])[:120]
            shapes_seen.add(shapes)
        return bus.begin(EXECUTE, text, attrs)

    def leave(span: Open | None) -> None:
        if span is None:
            return
        attrs = span[3]
        if attrs is not None and "cpu" in attrs:
            attrs["cpu"] = cpu_now() - attrs["cpu"]
        bus.end(span)

    put_in(bus, context, "call_function", enter, leave, arguments=("name", "tensor_inputs"))


def _shapes(tensors: Any) -> tuple[Any, ...]:
    try:
        return tuple(tuple(t.shape) for t in tensors if t.dtype.is_floating or t.dtype.is_integer)
    except Exception:
        return ()
