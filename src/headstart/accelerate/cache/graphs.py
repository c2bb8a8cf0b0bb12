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
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from . import quiet
from .store import WORK, Store

KIND = "graphs"
_VARIABLE = "TF_GRAPH_CACHING"
#: One function at a time: the variable belongs to the process.
_lock = threading.Lock()


@contextmanager
def kept_for(store: Store, key: str, name: str) -> Iterator[None]:
    """In force for the first call of the function called ``name``, whose trace has this key."""
    if os.environ.get(_VARIABLE) is not None or not _lock.acquire(blocking=False):
        yield  # the program uses it itself, or another function is called for the first time just now
        return
    try:
        folder = _folder(store)
        if folder is None:
            yield
            return
        try:
            # TensorFlow leaves out what follows the last underscore; what is left holds the key.
            own = name.rpartition("_")[0]
            found = _put_there(store, key, folder, own)
            # Not through os.environ: the program must not see it, and TensorFlow reads the process's own.
            os.putenv(_VARIABLE, str(folder))
            try:
                with nullcontext() if quiet.is_quiet() else quiet.without(quiet.GRAPH_LINES):
                    yield
            finally:
                os.unsetenv(_VARIABLE)
            if not found:
                _take_from_there(store, key, folder, own)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        _lock.release()


def _folder(store: Store) -> Path | None:
    try:
        os.makedirs(store.root / WORK, mode=0o700, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="graph-", dir=store.root / WORK))
    except OSError:
        return None


def _put_there(store: Store, key: str, folder: Path, own: str) -> bool:
    entry = store.get(KIND, key)
    if entry is None or own not in entry.header.get("name", ""):
        return False
    try:
        (folder / Path(entry.header["name"]).name).write_bytes(entry.sections["graph"])
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)  # half a file must not be read
        return False
    return True


def _take_from_there(store: Store, key: str, folder: Path, own: str) -> None:
    """What TensorFlow wrote for this function.

    Other functions may have been optimised meanwhile; theirs are dropped.
    """
    try:
        for path in folder.iterdir():
            if own in path.name:
                store.put(KIND, key, {"name": path.name}, {"graph": path.read_bytes()})
    except OSError:
        pass
