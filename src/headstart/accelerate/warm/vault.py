"""Keeps the imported packages out of sight until the program imports them.

In the forked program, `sys.modules` holds what it holds in a fresh interpreter. The import of a module that is
in the vault hands over that module and all that its import would have brought along, at once, and does again
what the import did beyond its modules. A module that is not there is imported as ever.
"""

from __future__ import annotations

import _frozen_importlib
import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .closure import Closure
from .effects import Action
from .guard import Guard
from .registered import Registration

_bootstrap: Any = _frozen_importlib
_MANY = 100
_FILE = _bootstrap._find_and_load_unlocked.__code__.co_filename


class Vault:
    """Made in the server after all imports; opened in each program."""

    def __init__(self, baseline: Iterable[str], needs: Mapping[str, Iterable[str]]) -> None:
        self._visible = visible = set(baseline)
        self.needs = {name: list(wanted) for name, wanted in needs.items()}
        self.hidden: dict[str, Any] = {}
        self._main = sys.modules["__main__"]
        for name in [name for name in sys.modules if name not in visible]:
            self.hidden[name] = sys.modules.pop(name)
        self._orders: dict[str, list[str]] = {}
        self._bindings = self._unbind()
        self.effects: dict[str, list[tuple[int, Action]]] = {}
        self.refreshers: dict[str, Callable[[Any], None]] = {}
        self.watch: Guard
        """Asked before modules are handed over."""
        self.given: list[str] = []
        self.seconds = 0.0
        """What the imports have taken."""
        self.listeners: list[Callable[[list[str]], None]] = []
        """Called with modules that have been handed over."""
        self._exits: list[tuple[str, Registration]] = []
        # Never taken apart: that would take time, and nobody knows in which order native parts would bear it.
        self._all = list(self.hidden.values())
        for kept in (self, sys.path_importer_cache):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))

    def origins(self) -> dict[str, str]:
        """Where on the path each module or package was found; those that no file can shadow are left out."""
        found = {}
        for name, module in self.hidden.items():
            spec = getattr(module, "__spec__", None)
            origin = getattr(spec, "origin", None)
            if (
                "." in name
                or name == "headstart"
                or not isinstance(origin, str)
                or not origin.startswith("/")
            ):
                continue
            folder = os.path.dirname(origin)
            found[name] = os.path.realpath(os.path.dirname(folder) if hasattr(module, "__path__") else folder)
        return found

    def add_effects(self, found: Iterable[tuple[str, Action]]) -> None:
        for order, (module, action) in enumerate(found):
            self.effects.setdefault(module, []).append((order, action))
            if isinstance(action, Registration) and module.partition(".")[0] not in sys.stdlib_module_names:
                self._exits.append((module, action))

    def _unbind(self) -> dict[str, tuple[dict[str, Any], str, Any]]:
        """A package has its loaded submodules as attributes: these go with the submodules."""
        bindings = {}
        closure = Closure(self.needs, self.hidden)
        self._large = [name for name in self.hidden if "." not in name and closure.size(name) >= _MANY]
        for name, module in self.hidden.items():
            parent, _, child = name.rpartition(".")
            if parent in self.hidden and closure.brings(parent, name):
                continue  # never seen without it
            owner = self.hidden.get(parent, sys.modules.get(parent))
            space = getattr(owner, "__dict__", None)
            if space is not None and space.get(child) is module and module is not None:
                bindings[name] = (space, child, module)
        for space, child, _ in bindings.values():
            space.pop(child, None)  # one module may have several names
        return bindings

    def lend(self) -> None:
        """Serve imports of our own code on its way to the program. What was lent goes back when the vault opens."""
        original = self._original = _bootstrap._find_and_load
        hidden = self.hidden

        def _find_and_load(name: str, import_: Any) -> Any:
            if name not in hidden:
                return original(name, import_)
            parent = name.rpartition(".")[0]
            if parent and parent not in sys.modules:
                import_(parent)
            module = sys.modules[name] = hidden[name]
            if name in self._bindings:
                space, child, _ = self._bindings[name]
                space[child] = module
            return module

        _bootstrap._find_and_load = _find_and_load

    def open(self) -> None:
        """Serve imports from the vault. In the program."""
        for name in [name for name in sys.modules if name not in self._visible]:
            self.hidden.setdefault(name, sys.modules.pop(name))  # what was lent
            if name in self._bindings:
                space, child, _ = self._bindings[name]
                space.pop(child, None)
        original = self._original
        hidden, give = self.hidden, self.give

        def _find_and_load(name: str, import_: Any) -> Any:
            if name in hidden and give(name, import_):
                return sys.modules[name]
            return original(name, import_)

        # Frames of this file name are trimmed by the interpreter from tracebacks of failing imports.
        _find_and_load.__code__ = _find_and_load.__code__.replace(co_filename=_FILE)
        _bootstrap._find_and_load = _find_and_load

    def give(self, name: str, import_: Any) -> bool:
        """Hand a module over; False if it must be imported as ever after all."""
        parent = name.rpartition(".")[0]
        if parent and parent not in sys.modules:
            import_(parent)
            if name in sys.modules:
                return True
        if parent and not self._same_parent(name, parent):
            return False
        order = self._orders.get(name)
        if order is None:
            order = self._collect(name)
        elif self.given:
            order = [one for one in order if one in self.hidden and one not in sys.modules]
        self.watch.check(name, order)
        self._install(order)
        return True

    def _same_parent(self, name: str, parent: str) -> bool:
        """Whether the package in place is the one that the vault's module belongs to."""
        found = self.hidden[name]
        origin = getattr(getattr(found, "__spec__", None), "origin", None)
        if not isinstance(origin, str) or not origin.startswith("/"):
            return True
        where = getattr(sys.modules[parent], "__path__", None)
        return where is None or any(origin.startswith(str(entry)) for entry in where)

    def prepare(self) -> None:
        """Work out ahead what the import of a large package brings along. In the server."""
        for name in self._large:
            self._orders[name] = self._collect(name)
            self.watch.prepare(name, self._orders[name])

    def _collect(self, wanted: str) -> list[str]:
        """All that the import brings along, in the order in which it would enter `sys.modules`."""
        order: list[str] = []
        pending = [wanted]
        seen: set[str] = set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            parent = name.rpartition(".")[0]
            if parent and parent in self.hidden and parent not in seen:
                pending += [name, parent]
                continue
            seen.add(name)
            if name in self.hidden and name not in sys.modules:
                order.append(name)
                pending += reversed(self.needs.get(name, ()))
        return order

    def _install(self, order: list[str]) -> None:
        actions: list[tuple[int, Action]] = []
        # There is none while `runpy` looks for the `__main__` of a folder or an archive.
        modules, effects, main = sys.modules, self.effects, sys.modules.get("__main__", self._main)
        for name in order:
            module = self.hidden.pop(name)
            # A package may have noted what `__main__` was: it is the program now.
            modules[name] = main if module is self._main else module
            if name in effects:
                actions += effects[name]
        self.given += order
        for name in order if self._bindings else ():
            binding = self._bindings.get(name)
            if binding is not None:
                space, child, module = binding
                space.setdefault(child, module)
        environ = dict(os.environ)
        for _, action in sorted(actions, key=lambda pair: pair[0]):
            action()
        self.watch.accept(environ)
        for name in order:
            refresh = self.refreshers.get(name)
            if refresh is not None:
                refresh(sys.modules[name])
        for listener in self.listeners:
            listener(order)

    def missed(self) -> dict[str, Any]:
        """The modules that the program has imported itself, for want of them here."""
        given = set(self.given)
        return {n: m for n, m in sys.modules.items() if n not in given and n not in self._visible}

    def close(self, interrupted: bool) -> None:
        """Before the interpreter is finalized: what was not made by the program needs no taking apart."""
        if not interrupted and all(name.partition(".")[0] in sys.stdlib_module_names for name in self.given):
            # Nor does native code that it has never touched: leave first thing in the C library's `exit`.
            libc = ctypes.CDLL(None)
            libc.fflush(None)
            libc.on_exit(ctypes.cast(libc._exit, ctypes.c_void_p), None)
            return
        for name in self.given:
            sys.modules.pop(name, None)
        # The native part of a package that the program has not imported is here all the same, and may have to be
        # told that Python goes (HDF5 calls back into h5py from the C library's own exit functions).
        for name, action in reversed(self._exits):
            if name in self.hidden:
                action.run()
