"""Switching on: our hook is put into TensorFlow when it is about to trace for the first time."""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from . import usage, versions
from .engine import Engine
from .options import CacheOptions
from .traces import hook

_engine: Any = None


def begin(options: CacheOptions | Mapping[str, str] | None, changed: Iterable[Any] = ()) -> None:
    """TensorFlow is there; ``changed`` has the functions that the program changes in place. Never raises into the
    program."""
    global _engine
    if _engine is not None:
        return
    chosen = options if isinstance(options, CacheOptions) else CacheOptions.from_environment(options or {})
    try:
        _engine = engine = Engine(chosen)
        engine.libraries.changed = changed
        atexit.register(_end, engine)
        if engine.on:
            _install(engine)
    except Exception as problem:
        if _engine is not None:
            _engine.switch_off(f"the caches could not be put in place: {problem}")
        if chosen.strict:
            raise


def _install(engine: Any) -> None:
    reason = versions.why_unsupported()
    if reason is not None:
        engine.switch_off(reason)
    elif engine.options.traces:
        hook.install(sys.modules["tensorflow.python.eager.polymorphic_function.tracing_compilation"], engine)


def engine() -> Any:
    """What is at work in this process, or ``None``."""
    return _engine


def _end(engine: Any) -> None:
    """When the process ends: what was done goes on record."""
    if os.getpid() != engine.process:
        return  # a child that the program has forked
    if hasattr(engine, "store"):
        usage.write(engine.store.root, engine.program, engine.ledger)
        engine.store.sweep()
    if engine.options.report is not None:
        write_report(engine)
    if engine.options.verbose or engine.options.verify:
        try:
            sys.stderr.flush()
            os.write(2, f"headstart: {engine.ledger.sentence()}\n".encode())
        except (OSError, AttributeError, ValueError):
            pass  # the program has closed it


def write_report(engine: Any) -> None:
    """All decisions, for tests."""
    try:
        with open(engine.options.report, "w", encoding="utf-8") as file:
            json.dump({**engine.ledger.as_json(), "counters": engine.store.counters.as_dict()}, file)
    except (OSError, AttributeError):
        pass
