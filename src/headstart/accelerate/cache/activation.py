"""Switching on: our hooks are put into TensorFlow's modules right after they are loaded, whoever loads them."""

from __future__ import annotations

import atexit
import importlib.abc
import importlib.machinery
import json
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .options import CacheOptions

_TRACING = "tensorflow.python.eager.polymorphic_function.tracing_compilation"

_engine: Any = None


def activate(options: CacheOptions | None = None) -> Any:
    """See :func:`headstart.accelerate.cache.activate`."""
    global _engine
    if _engine is not None:
        return _engine
    from .engine import Engine

    _engine = engine = Engine(options or CacheOptions.from_environment())
    if engine.options.report is not None:
        atexit.register(_write_report, engine)
    if engine.on:
        when_loaded(_TRACING, lambda module: _install_traces(module, engine))
    return engine


def _install_traces(module: ModuleType, engine: Any) -> None:
    try:
        from . import versions
        from .traces import hook

        reason = versions.why_unsupported()
        if reason is not None:
            engine.switch_off(reason)
        elif engine.options.traces:
            hook.install(module, engine)
    except Exception as problem:
        engine.switch_off(f"the caches could not be put in place: {problem}")
        if engine.options.strict:
            raise


def _write_report(engine: Any) -> None:
    try:
        with open(engine.options.report, "w", encoding="utf-8") as file:
            json.dump({**engine.ledger.as_json(), "counters": engine.store.counters.as_dict()}, file)
    except (OSError, AttributeError):
        pass


def when_loaded(name: str, act: Callable[[ModuleType], None]) -> None:
    """Calls ``act(module)`` once the module is loaded: now, or right after its code has run."""
    module = sys.modules.get(name)
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        act(module)
        return
    finder = next((found for found in sys.meta_path if isinstance(found, _Finder)), None)
    if finder is None:
        finder = _Finder()
        sys.meta_path.insert(0, finder)
    finder.waiting.setdefault(name, []).append(act)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds nothing itself: it asks the finders after it and wraps what they found. Others can do the same."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Callable[[ModuleType], None]]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self.waiting:
            return None
        actions = self.waiting.pop(name)
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, actions)
                return spec  # type: ignore[no-any-return]
        return None


class _Loader(importlib.abc.Loader):
    """The loader that was found, and then our actions."""

    def __init__(self, inner: Any, actions: list[Callable[[ModuleType], None]]) -> None:
        self._inner = inner
        self._actions = actions

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        # The module must look as if we had never been there.
        module.__loader__ = self._inner
        if module.__spec__ is not None:
            module.__spec__.loader = self._inner
        self._inner.exec_module(module)
        for act in self._actions:
            act(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
