"""Caches that let a later process skip what an earlier one did: tracing, graph optimisation, compiling.

``activation.begin`` switches them on in a process, ``prime`` prepares one that others are forked from, ``status``
is for ``headstart doctor``. This module imports nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["prime", "status"]


def prime() -> None:
    """For a process that others are forked from, with TensorFlow imported: load the caches and look at the libraries
    once, for all. A program must import nothing on our behalf: that would show, and might not be what it would get.
    """
    from .. import activate
    from . import activation, libraries

    libraries.prime()
    activate.prepared = activation.begin


def status() -> "Any":
    """What the caches can do here, for ``headstart doctor``."""
    from .doctor import status as look

    return look()
