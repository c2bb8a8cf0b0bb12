"""What probes share: splicing a span into a function, and not failing when a name has moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...record.signals import PROBE_OFF
from ..bus import Bus, Open
from ..sites import user_site
from ..splice import CannotSplice, splice

Describe = Callable[..., "dict[str, Any] | None"]


def put_in(
    bus: Bus,
    owner: Any,
    name: str,
    enter: Callable[..., Any],
    leave: Callable[[Any], None],
    result: Callable[[Any, Any], Any] | None = None,
    arguments: tuple[str, ...] | None = None,
) -> Callable[[], None]:
    """Splice hooks into `owner.name`; say so in the record when this version has no such function."""
    try:
        function = owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)
        return splice(function, enter, leave, result, arguments)
    except (KeyError, AttributeError, CannotSplice) as error:
        where = getattr(owner, "__qualname__", getattr(owner, "__name__", "?"))
        bus.mark(PROBE_OFF, f"{where}.{name}", {"why": str(error)[:300]})
        return lambda: None


def span_around(
    bus: Bus,
    owner: Any,
    name: str,
    kind: str,
    label: str | None = None,
    describe: Describe | None = None,
    arguments: tuple[str, ...] = (),
    when: Callable[[], bool] | None = None,
) -> None:
    """The common probe: a span with the user's line around one function.

    `describe(*arguments)` gives further attributes; it runs before the call and may return None.
    """
    text = label or name

    def enter(*values: Any) -> Open | None:
        try:
            if when is not None and not when():
                return None
            attrs: dict[str, Any] = (describe(*values) if describe else None) or {}
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
            return bus.begin(kind, attrs.pop("name", text), attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            bus.end(span)

    put_in(bus, owner, name, enter, leave, arguments=arguments)


def size_of(shape: Any, dtype: Any) -> int:
    """Bytes of a tensor of this shape; 0 when something about it is not known."""
    try:
        count = 1
        for dimension in shape:
            count *= int(dimension)
        return count * int(getattr(dtype, "size", 0) or _WIDTHS.get(str(dtype), 4))
    except (TypeError, ValueError):
        return 0


_WIDTHS = {
    "float64": 8,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}


class State:
    """What the probes of one process know of each other: are we inside a trace, a fit, a model call?"""

    tracing = 0
    """How many traces are open on the main thread."""
    building = 0
    calling = 0
    fitting = 0
    steps = 0
    """Steps and batches so far, roughly: only for telling whether the program moves on."""
    waited_ns = 0
    """Time in which eager code waited for the next element of a data set."""
    watched = False
    """The looks into the data pipeline have been started."""
    batch_shapes: tuple[object, ...] = ()
    """Shapes of the arrays that a single-batch Keras call was given."""

    adding = 0
    """id of the layer that creates a weight."""

    def __init__(self) -> None:
        self.homes: dict[int, Any] = {}
        """id of a layer → the user's line that made it. An id is overwritten when it is used again."""
        self.compiled: set[object] = set()
        """Names of runtime functions that XLA compiles, wholly or in part."""


state = State()
