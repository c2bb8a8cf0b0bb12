"""Functions that are changed in place: ``f.__defaults__ = …``, ``f.__code__ = …``.

Such a function is the same object as before, and so is every table that it lies in: nobody who looks at those can
tell. Python says so itself, by an audit event, to whoever has asked for it before. This module imports nothing
until TensorFlow is there.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def watch_functions() -> "Iterable[Any]":
    """The functions that are changed from now on; it fills by itself."""
    import sys
    import types
    import weakref

    changed: weakref.WeakSet[Any] = weakref.WeakSet()
    sys.addaudithook(_hook(changed.add, types.FunctionType))
    return changed


def _hook(note: "Callable[[Any], None]", function: type) -> "Callable[[str, tuple[Any, ...]], None]":
    # All it needs it holds itself: it is called until the interpreter is gone.
    def audit(event: str, args: "tuple[Any, ...]") -> None:
        # Of functions, Python tells this of their code and their defaults only.
        if (event == "object.__setattr__" or event == "object.__delattr__") and type(args[0]) is function:
            note(args[0])

    return audit
