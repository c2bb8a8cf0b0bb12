"""Optimised graphs: TensorFlow's own file cache, made safe.

TensorFlow names its file after the function's name without its last part and the number of nodes, so two models
of one kind collide; it reads half a file as if it were whole; and it looks whenever an environment variable is
set. Here the file lies in the store, sealed. For the first call of a function, and only then, it is put into a
folder that nobody else knows, under the name of that function, which carries the function's key.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from . import optimised, quiet
from .engine import Engine
from .entry import Entry
from .store import WORK, Store

KIND = "graphs"
_VARIABLE = "TF_GRAPH_CACHING"
#: One function at a time: the variable, and what is collected, belong to the process.
_lock = threading.Lock()


@contextmanager
def kept_for(engine: Engine, key: str, name: str, saved: Callable[[float], None]) -> Iterator[None]:
    """In force for the first call of the function called ``name``; the key holds all that its optimised graph depends
    on, the name included. ``saved(seconds)`` is told how much shorter it was than the call that filled the cache."""
    if os.environ.get(_VARIABLE) is not None or not _lock.acquire(blocking=False):
        yield  # the program uses it itself, or another function is called for the first time just now
        return
    try:
        with _manager(engine, key, name, saved):
            yield
    finally:
        _lock.release()


def _manager(
    engine: Engine, key: str, name: str, saved: Callable[[float], None]
) -> AbstractContextManager[None]:
    if not optimised.can_be_collected():
        return nullcontext()
    entry = engine.store.get(KIND, key)
    return _written(engine, key, name) if entry is None else _read(engine.store, entry, saved)


@contextmanager
def _written(engine: Engine, key: str, name: str) -> Iterator[None]:
    """What TensorFlow makes of the function is kept."""
    started = time.perf_counter()
    with optimised.collected() as taken:
        yield
    seconds = time.perf_counter() - started
    try:
        made = optimised.file_for(name, taken)
        if made is not None:
            header = {"name": made.name, "seconds": seconds}
            engine.store.put(KIND, key, header, {"graph": made.content})
    except Exception as problem:
        engine.failed("keeping an optimised graph", problem)


@contextmanager
def _read(store: Store, entry: Entry, saved: Callable[[float], None]) -> Iterator[None]:
    """TensorFlow finds the file of this entry."""
    started = time.perf_counter()
    folder = _folder_with(store, entry)
    if folder is None:
        yield
        return
    # Not through os.environ: the program must not see it, and TensorFlow reads the process's own.
    os.putenv(_VARIABLE, str(folder))
    try:
        with nullcontext() if quiet.is_quiet() else quiet.without(quiet.GRAPH_LINES):
            yield
    finally:
        os.unsetenv(_VARIABLE)
        shutil.rmtree(folder, ignore_errors=True)
    saved(max(0.0, entry.header.get("seconds", 0.0) - (time.perf_counter() - started)))


def _folder_with(store: Store, entry: Entry) -> Path | None:
    try:
        os.makedirs(store.root / WORK, mode=0o700, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="graph-", dir=store.root / WORK))
    except OSError:
        return None
    try:
        (folder / Path(entry.header["name"]).name).write_bytes(entry.sections["graph"])
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)  # half a file must not be read
        return None
    return folder
