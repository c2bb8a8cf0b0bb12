"""The one place where `headstart run` reaches into a program: called at its start, warm or cold.

What speeds a program up beyond its imports (kept traces, graphs, compiled programs, weights) is switched on
from here. The call is made before the program's first line, in its process, with `sys.modules` as in a fresh
interpreter; so nothing may be imported here, and nothing done that the program could notice, until it imports
TensorFlow. `watch` calls back at that moment.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Hook = Callable[[Any], None]

_waiting: dict[str, list[Hook]] = {}


def activate(options: Mapping[str, str]) -> None:
    """Switch on what the options of `headstart run` ask for. `options` holds the long names of those that were
    given ("no-cache", "verify", "verbose"), and "warm" with the number of seconds that the warm import saves.
    """


def watch(name: str, hook: Hook) -> None:
    """Call `hook(module)` when the program has imported this module, before its import returns."""
    _waiting.setdefault(name, []).append(hook)


def imported(name: str, module: Any) -> None:
    """Called by the import hooks, warm and cold, for every module that is watched."""
    for hook in _waiting.pop(name, ()):
        hook(module)
