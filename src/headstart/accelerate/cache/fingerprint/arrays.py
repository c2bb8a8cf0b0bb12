"""Plans for NumPy's values. They are given NumPy's module when it is loaded; this file never imports it."""

from __future__ import annotations

import hashlib
from typing import Any

from . import origin
from .walk import Unfit, Walk

#: More than this is data, not configuration; hashing it would cost more than it could save.
MAX_BYTES = 256 << 20


def content(walk: Walk, kind: str, dtype: str, shape: Any, data: Any, size: int) -> None:
    if size > MAX_BYTES:
        raise Unfit(f"it can reach a {kind} of {size >> 20} MB")
    walk.emit(f"{kind} {dtype} {tuple(shape)} {hashlib.blake2b(data, digest_size=32).hexdigest()}")


def plans(numpy: Any) -> tuple[dict[type, Any], list[tuple[type, Any]]]:
    def array(walk: Walk, value: Any) -> None:
        if value.dtype.metadata is not None:
            walk.child(".dtype", value.dtype)
        if value.dtype.hasobject:
            walk.emit(f"object array {value.shape}")
            walk.child("[]", value.tolist())
            return
        content(
            walk,
            f"{type(value).__name__} {value.strides} {value.flags.writeable}",
            # Its name too: several small types of ml_dtypes' call themselves bytes.
            f"{value.dtype.str} {value.dtype.name}" if value.dtype.names is None else repr(value.dtype),
            value.shape,
            numpy.ascontiguousarray(value).reshape(-1).view(numpy.uint8).data if value.size else b"",
            value.nbytes,
        )

    def scalar(walk: Walk, value: Any) -> None:
        if origin.of_module(type(value).__module__) == origin.USER:
            raise Unfit(
                f"it can reach a {type(value).__qualname__}, a kind of number that is not NumPy's own"
            )
        walk.emit(f"scalar {value.dtype} {value.tobytes().hex()}")

    def data_type(walk: Walk, value: Any) -> None:
        walk.emit(f"{type(value).__name__} {value!r}")
        if value.metadata is not None:
            walk.child(".metadata", dict(value.metadata))

    def ufunc(walk: Walk, value: Any) -> None:
        if numpy.__dict__.get(value.__name__) is not value:
            raise Unfit(f"it can reach {value.__name__}, a ufunc that is not one of NumPy's own")
        walk.emit(f"ufunc {value.__name__}")

    def dispatched(walk: Walk, value: Any) -> None:
        if getattr(value, "__module__", "").partition(".")[0] != "numpy":
            raise Unfit(f"it can reach {value.__name__}, a compiled function that nothing is known about")
        walk.know((value.__name__,))  # by whatever name: ``np.mean(mine)`` calls ``mine.mean``
        walk.emit(f"{type(value).__name__} {value.__module__}:{value.__name__}")

    def generator(walk: Walk, value: Any) -> None:
        # Drawing from it while tracing changes its state, which is seen afterwards.
        walk.emit("Generator")
        walk.child(".state", value.bit_generator.state)
        # How many were made from it counts for the next that is.
        seeds = getattr(value.bit_generator, "seed_seq", None)
        if seeds is not None and hasattr(seeds, "state"):
            walk.child(".seeds", seeds.state)

    def random_state(walk: Walk, value: Any) -> None:
        walk.emit("RandomState")
        walk.child(".state", value.get_state())

    exact: dict[type, Any] = {
        numpy.ndarray: array,
        numpy.ufunc: ufunc,
        type(numpy.sum): dispatched,
        numpy.random.Generator: generator,
        numpy.random.RandomState: random_state,
    }
    return exact, [(numpy.generic, scalar), (numpy.dtype, data_type)]
