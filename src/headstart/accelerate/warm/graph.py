"""Which modules does the import of a module bring along? Recorded while the server imports its packages.

A module that was loaded earlier is not loaded again when a second one asks for it, so the order of our imports
says little about what a program gets that imports only the second. Hence every request counts, not only those
that load something, and the recording begins before the server has imported anything of its own.
"""

from __future__ import annotations

import _frozen_importlib
import builtins
import sys

TYPE_CHECKING = (
    False  # nothing may be imported here: the recording begins with what the server itself imports
)
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _bootstrap: Any
_bootstrap = _frozen_importlib


class Graph:
    """`needs` maps a module to what is asked for while it is being loaded, in order; "" is the server."""

    def __init__(self) -> None:
        self.needs: dict[str, dict[str, None]] = {}
        self.loading = [""]
        self.observer: Callable[[], object] = int
        """Called whenever the module that is being loaded is about to change."""
        self._known: set[str] = set()
        self._undo: list[Callable[[], None]] = []

    def start(self) -> None:
        self._known = set(sys.modules)
        self._replace(builtins, "__import__", self._importing(builtins.__import__))
        self._replace(_bootstrap, "_gcd_import", self._getting(_bootstrap._gcd_import))
        self._replace(_bootstrap, "_find_and_load", self._finding(_bootstrap._find_and_load))

    def stop(self) -> None:
        self._look()
        while self._undo:
            self._undo.pop()()

    def _replace(self, owner: Any, name: str, new: Any) -> None:
        old = getattr(owner, name)
        setattr(owner, name, new)
        self._undo.append(lambda: setattr(owner, name, old))

    def _want(self, name: str) -> None:
        self.needs.setdefault(self.loading[-1], {})[name] = None

    def _look(self) -> None:
        """Attribute what has happened since the last look to the module that is being loaded."""
        new = len(sys.modules) - len(self._known)
        if new > 0:
            # Also those that nobody asked for: set by hand, or by an extension module.
            for name in reversed(sys.modules):
                if name not in self._known:
                    self._known.add(name)
                    if name != self.loading[-1]:
                        self._want(name)
                    new -= 1
                    if new == 0:
                        break
        self.observer()

    def _finding(self, original: Any) -> Any:
        def _find_and_load(name: str, import_: Any) -> Any:
            self._look()
            self._want(name)
            self.loading.append(name)
            try:
                module = original(name, import_)
                self._native(module)
                return module
            finally:
                self._look()
                self.loading.pop()

        return _find_and_load

    def _native(self, module: Any) -> None:
        """An extension module imports without asking Python: what it holds shows what it has asked for."""
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        if not isinstance(origin, str) or not origin.endswith(".so"):
            return
        if "__test__" in vars(module) and "cython_runtime" in sys.modules:
            self._want("cython_runtime")  # every module that Cython has made makes it anew
        for value in list(vars(module).values()):
            found = value.__name__ if isinstance(value, type(sys)) else getattr(value, "__module__", None)
            if isinstance(found, str) and found in sys.modules:
                self._want(found)

    def _importing(self, original: Any) -> Any:
        # The names of the parameters are the builtin's: some callers pass them by name.
        def __import__(
            name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
        ) -> Any:
            module = original(name, globals, locals, fromlist, level)
            if self._undo:  # somebody may keep this function for later
                if level:
                    package = _bootstrap._calc___package__(globals or {})
                    name = _bootstrap._resolve_name(name, package, level)
                self._want(name)
                for part in fromlist or ():
                    if isinstance(part, str) and f"{name}.{part}" in sys.modules:
                        self._want(f"{name}.{part}")
            return module

        return __import__

    def _getting(self, original: Any) -> Any:
        def _gcd_import(name: str, package: Any = None, level: int = 0) -> Any:
            module = original(name, package, level)
            if self._undo:
                self._want(_bootstrap._resolve_name(name, package, level) if level else name)
            return module

        return _gcd_import
