"""Names for functions that are the same in every process: TensorFlow's own end in a running number.

Its file caches go by these names, so a trace that is to be kept gets, already when it is made, the names under
which it will be kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_MAKERS = {
    "_inference_name": "__inference_",
    "_forward_name": "__forward_",
    "_backward_name": "__backward_",
}


def name_of(function: Any) -> str:
    """TensorFlow has it as bytes in one version and as text in another."""
    name = function.name
    return name.decode() if isinstance(name, bytes) else str(name)


def own_and_mark(name: str) -> tuple[str, str]:
    """Of such a name: what it is without its number, and the mark."""
    own = name.rpartition("_")[0]
    return own, own.rpartition("_")[2]


@contextmanager
def marked(mark: str) -> Iterator[None]:
    """Functions that are made in the block are called ``__inference_step_<mark>_<n>``."""
    from tensorflow.python.eager import context
    from tensorflow.python.eager.polymorphic_function import concrete_function

    live = context.context()
    given: dict[str, int] = {}

    def maker(prefix: str) -> Any:
        def name(of: str) -> str:
            base = f"{prefix}{of}_{mark}"
            number = given.get(base, -1) + 1
            while live.has_function(f"{base}_{number}"):
                number += 1
            given[base] = number
            return f"{base}_{number}"

        return name

    before = {attribute: getattr(concrete_function, attribute) for attribute in _MAKERS}
    for attribute, prefix in _MAKERS.items():
        setattr(concrete_function, attribute, maker(prefix))
    try:
        yield
    finally:
        for attribute, value in before.items():
            setattr(concrete_function, attribute, value)
