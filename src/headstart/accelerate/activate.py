"""The one place where `headstart run` reaches into a program: called at its start, warm or cold.

What speeds a program up beyond its imports (kept traces, graphs, compiled programs, weights) is switched on
from here. The call is made before the program's first line, in its process, with `sys.modules` as in a fresh
interpreter; so nothing may be imported here, and nothing done that the program could notice, until it imports
TensorFlow. `watch` calls back at that moment.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Hook = Callable[[Any], None]

_waiting: dict[str, list[Hook]] = {}


def activate(options: Mapping[str, str]) -> None:
    """Switch on what the options of `headstart run` ask for. `options` holds the long names of those that were
    given ("no-cache", "verify", "verbose"), and in a warm run "warm": the seconds that its imports have taken
    the server.

    To hook in, call `watch` here; what the hook needs it imports when it is called.
    """


def watch(name: str, hook: Hook) -> None:
    """Call `hook(module)` when the program has imported this module, before its import returns. In a warm run
    all modules of a package arrive at once; in a cold one, only names that begin like one of `cold.HEAVY` are
    seen."""
    _waiting.setdefault(name, []).append(hook)


def arrived(names: Iterable[str]) -> None:
    """Called by the import hooks, warm and cold, with the modules that have been imported."""
    import sys

    for name in names:
        for hook in _waiting.pop(name, ()):
            hook(sys.modules[name])


def watched() -> bool:
    """Whether anybody waits for anything."""
    return bool(_waiting)
