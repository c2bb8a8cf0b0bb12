"""Host data turned into tensors, where that takes a millisecond or more: Python lists, and large arrays."""

from __future__ import annotations

from typing import Any

from ...record.signals import CONVERT
from ..bus import Bus, now
from ..sites import user_site
from ._tools import put_in

WORTH_NS = 1_000_000
LARGE_BYTES = 1 << 20


def install(bus: Bus, module: Any) -> None:
    name = module.__name__
    if name.endswith("constant_op"):
        _around(bus, module, "convert_to_eager_tensor", "value", graph=False)
    elif name.endswith("tensor_util"):
        _around(bus, module, "make_tensor_proto", "values", graph=True)
    elif name.endswith("structure"):
        _around(bus, module, "normalize_element", "element", graph=False)
    else:
        _around(bus, module, "constant", "pylist", graph=False)


def _around(bus: Bus, module: Any, function: str, argument: str, graph: bool) -> None:
    def enter(value: Any) -> tuple[int, str, int, str] | None:
        kind = type(value)
        if kind is tuple and len(value) < 8:
            # A structure, such as (features, labels): what it holds decides.
            value = next((part for part in value if type(part) is list), value)
            kind = type(value)
        if kind is list or kind is tuple:
            return (now(), kind.__name__, 0, "") if value else None
        size = getattr(value, "nbytes", 0)
        if isinstance(size, int) and size >= LARGE_BYTES:
            return now(), kind.__name__, size, str(getattr(value, "dtype", ""))
        return None

    def result(token: tuple[int, str, int, str] | None, made: Any) -> Any:
        if token is None:
            return made
        try:
            t0, kind, size, dtype = token
            t1 = now()
            if (t1 - t0 >= WORTH_NS or (graph and size >= LARGE_BYTES)) and bus.on_main():
                attrs: dict[str, Any] = {"bytes": size or _size(made, graph), "graph": graph}
                if dtype and not graph and dtype != getattr(getattr(made, "dtype", None), "name", dtype):
                    attrs["cast"] = True
                site = user_site(0)
                if site is not None:
                    attrs["site"] = site
                bus.span(t0, t1, CONVERT, kind, attrs)
        except Exception:
            pass
        return made

    put_in(bus, module, function, enter, lambda token: None, result, arguments=(argument,))


def _size(made: Any, graph: bool) -> int:
    if graph:
        return len(getattr(made, "tensor_content", b""))
    if isinstance(made, (list, tuple)):
        return sum(_size(part, graph) for part in made)
    made = getattr(made, "flat_values", made)
    try:
        return int(made.shape.num_elements()) * int(made.dtype.size)
    except (AttributeError, TypeError):
        return 0
