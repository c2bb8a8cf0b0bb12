"""Imports packages in the server and writes down all that a program must not notice, or must see again."""

from __future__ import annotations

import builtins
import gc
import io
import os
import sys
import time
import types
from collections.abc import Callable, Iterable
from typing import Any

from . import health
from .effects import Effects
from .graph import Graph
from .output import Capture
from .registered import Registrations
from .vault import Vault

ALWAYS = ("numpy", "tensorflow", "keras")


class Preload:
    """One recording. `read` maps a variable to the value that was found, `readers` to who looked."""

    def __init__(self, graph: Graph, registrations: Registrations, output: Capture) -> None:
        self.graph = graph
        self._registrations = registrations
        self.effects = Effects(output, self.graph.loading)
        self.graph.observer = self.effects.look
        self.files: set[str] = set()
        """What was opened: settings, above all."""
        self.imported: list[str] = []
        self.attempted: set[str] = set()
        self.seconds = 0.0
        self.misbehaved = ""

    def run(self, always: Iterable[str], also: Iterable[str]) -> None:
        """Import; a learned package that does what none may do is named in `misbehaved`."""
        began = time.monotonic()
        thresholds = gc.get_threshold()
        gc.set_threshold(0, *thresholds[1:])  # nothing here is garbage, so nothing need be looked for
        self.effects.start()
        restore = self._watch_files()
        try:
            for name in always:
                self._import(name)
            before = health.state()
            for name in also:
                if name in sys.modules:
                    self.attempted.add(name)
                    continue
                self._import(name)
                trouble = health.difference(before)
                if trouble:
                    self.misbehaved = f"{name}: {trouble}"
                    break
        finally:
            restore()
            self._registrations.stop()
            self.graph.stop()
            self.effects.stop()
            gc.set_threshold(*thresholds)
        self.seconds = time.monotonic() - began

    def _import(self, name: str) -> None:
        self.attempted.add(name)
        try:
            __import__(name)
            self.imported.append(name)
        except Exception:
            # Not installed, or it needs what only the program does first: the program will import it itself.
            # A half-done import leaves modules behind, as it does anywhere.
            pass

    def _watch_files(self) -> Callable[[], None]:
        original: Any = builtins.open
        files = self.files

        def watched(file, *args, **kwargs):  # type: ignore[no-untyped-def]
            if isinstance(file, (str, bytes, os.PathLike)):
                files.add(os.path.abspath(os.fsdecode(file)))
            return original(file, *args, **kwargs)

        # Whoever wraps it gets these from it.
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(watched, name, getattr(original, name))
        builtins.open = io.open = watched

        def restore() -> None:
            builtins.open = io.open = original
            put_back(watched, original)

        return restore

    def vault(self, baseline: Iterable[str]) -> Vault:
        vault = Vault(baseline, self.graph.needs)
        vault.add_effects([*self._registrations.found, *self.effects.found])
        return vault


def put_back(ours: Any, original: Any) -> None:
    """Wherever a module has taken ours for its own (`_open = open`, at import), it gets the original."""
    for holder in gc.get_referrers(ours):
        if type(holder) is dict:
            for key in [key for key, value in holder.items() if value is ours]:
                holder[key] = original
        elif type(holder) is types.CellType:
            holder.cell_contents = original
        elif type(holder) is tuple:
            for function in gc.get_referrers(holder):
                if type(function) is types.FunctionType and function.__defaults__ is holder:
                    function.__defaults__ = tuple(original if value is ours else value for value in holder)
