"""Keeps the imported packages out of sight until the program imports them.

In the forked program, `sys.modules` holds what it holds in a fresh interpreter. The import of a module that is
in the vault hands over that module and all that its import would have brought along, at once, and does again
what the import did beyond its modules. A module that is not there is imported as ever.
"""

from __future__ import annotations

import _frozen_importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .effects import Action
from .guard import Guard

_bootstrap: Any = _frozen_importlib
_FILE = _bootstrap._find_and_load_unlocked.__code__.co_filename


class Vault:
    """Made in the server after all imports; opened in each program."""

    def __init__(self, baseline: Iterable[str], needs: Mapping[str, Iterable[str]]) -> None:
        visible = set(baseline)
        self.needs = {name: list(wanted) for name, wanted in needs.items()}
        self.hidden: dict[str, Any] = {}
        self._main = sys.modules["__main__"]
        for name in [name for name in sys.modules if name not in visible]:
            self.hidden[name] = sys.modules.pop(name)
        self.tops = {name.partition(".")[0] for name in self.hidden}
        self._bindings = self._unbind()
        self.effects: dict[str, list[tuple[int, Action]]] = {}
        self.refreshers: dict[str, Callable[[Any], None]] = {}
        self.watch: Guard
        """Asked before modules are handed over."""
        self.given: set[str] = set()

    def add_effects(self, found: Iterable[tuple[str, Action]]) -> None:
        for order, (module, action) in enumerate(found):
            self.effects.setdefault(module, []).append((order, action))

    def _unbind(self) -> dict[str, tuple[dict[str, Any], str, Any]]:
        """A package has its loaded submodules as attributes: these go with the submodules."""
        bindings = {}
        for name, module in self.hidden.items():
            parent, _, child = name.rpartition(".")
            owner = self.hidden.get(parent, sys.modules.get(parent))
            space = getattr(owner, "__dict__", None)
            if space is not None and space.get(child) is module and module is not None:
                bindings[name] = (space, child, module)
        for space, child, _ in bindings.values():
            space.pop(child, None)  # one module may have several names
        return bindings

    def open(self) -> None:
        """Serve imports from the vault. In the program."""
        original = _bootstrap._find_and_load
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
        order: list[str] = []
        self._collect(name, order)
        self.watch.check(order)
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

    def _collect(self, wanted: str, order: list[str]) -> None:
        """All that the import brings along, in the order in which it would enter `sys.modules`."""
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

    def _install(self, order: list[str]) -> None:
        actions: list[tuple[int, Action]] = []
        for name in order:
            module = self.hidden.pop(name)
            # A package may have noted what `__main__` was: it is the program now.
            sys.modules[name] = sys.modules["__main__"] if module is self._main else module
            self.given.add(name)
            actions += self.effects.get(name, ())
        for name in order:
            binding = self._bindings.get(name)
            if binding is not None:
                space, child, module = binding
                space.setdefault(child, module)
        for name in order:
            refresh = self.refreshers.get(name)
            if refresh is not None:
                refresh(sys.modules[name])
        for _, action in sorted(actions, key=lambda pair: pair[0]):
            action()

    def close(self) -> None:
        """Before the interpreter is finalized: what was not made by the program needs no taking apart."""
        for name in self.given:
            sys.modules.pop(name, None)
