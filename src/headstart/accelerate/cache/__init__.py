"""Caches that let a later process skip what an earlier one did: tracing, graph optimisation, compiling.

``activate(options)`` imports almost nothing and waits; the work starts when TensorFlow is imported.
"""

from __future__ import annotations

from typing import Any

__all__ = ["activate", "status"]


def activate(options: Any = None) -> Any:
    """Switches the caches on in this process. Never raises into the program."""
    from .activation import activate as switch_on

    return switch_on(options)


def status() -> Any:
    """What the caches can do here, for ``headstart doctor``."""
    from .doctor import status as look

    return look()
