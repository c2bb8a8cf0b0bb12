"""Imports packages in the server and writes down all that a program must not notice, or must see again."""

from __future__ import annotations

import builtins
import gc
import io
import os
import sys
import time
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

        def open(file: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(file, (str, bytes, os.PathLike)):
                self.files.add(os.path.abspath(os.fsdecode(file)))
            return original(file, *args, **kwargs)

        builtins.open = io.open = open

        def restore() -> None:
            builtins.open = io.open = original

        return restore

    def vault(self, baseline: Iterable[str]) -> Vault:
        vault = Vault(baseline, self.graph.needs)
        vault.add_effects([*self._registrations.found, *self.effects.found])
        return vault
