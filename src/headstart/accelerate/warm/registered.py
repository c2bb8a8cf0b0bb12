"""Functions that packages register with `atexit`: kept back, and registered where the program imports them.

Imports next to nothing: the recording begins with what the server itself imports.
"""

from __future__ import annotations

import atexit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Registrations:
    """`found` lists (module, what to do again)."""

    def __init__(self, loading: list[str]) -> None:
        self.found: list[tuple[str, Registration]] = []
        self._loading = loading
        """The modules that are being loaded, innermost last."""
        self._original: Any = atexit.register
        atexit.register = self._register

    def stop(self) -> None:
        atexit.register = self._original

    def _register(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if atexit.register is self._original:  # somebody has kept this function, and uses it now
            return self._original(function, *args, **kwargs)
        self.found.append((self._loading[-1], Registration(function, args, kwargs)))
        return function


class Registration:
    """One function, with its arguments. Calling this registers it."""

    def __init__(self, function: Any, args: Any, kwargs: Any) -> None:
        self._function = function
        self._args = args
        self._kwargs = kwargs

    def __call__(self) -> None:
        owner: Any = getattr(self._function, "__self__", None)
        if getattr(self._function, "__name__", "") == "_exitfunc" and hasattr(
            owner, "_registered_with_atexit"
        ):
            # `weakref.finalize` registers itself once, at its first use; that may have been the program's own.
            if owner._registered_with_atexit:
                return
            owner._registered_with_atexit = True
        atexit.register(self._function, *self._args, **self._kwargs)

    def run(self) -> None:
        """Do at once what was to be done at exit."""
        try:
            self._function(*self._args, **self._kwargs)
        except Exception:
            pass
