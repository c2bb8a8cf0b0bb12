"""Compiled programs: TensorFlow's own file cache for XLA, made safe.

TensorFlow compares the whole program before it uses a file, but neither its own version nor the processor nor
XLA's flags, and it fails on half a file. So the process gets a folder of its own, which is empty at first; before
a kept function is called for the first time, the sealed files that belong to it are put there, and after that
call what TensorFlow has compiled is taken into the store.

Which folder it is must be said in a flag when TensorFlow starts its runtime: see ``accelerate.activate``.
"""

from __future__ import annotations

import atexit
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from . import quiet
from .store import Store

KIND = "xla"
_MAX_BYTES = 256 << 20


@contextmanager
def kept_for(store: Store, key: str, folder: Path) -> Iterator[None]:
    """In force for the first call of a function whose programs have this key."""
    own = _put_there(store, key, folder)
    before = _names(folder)
    # It complains about each file that it reads, and then reads it in another way.
    with quiet.without(quiet.XLA_LINES) if own else nullcontext():
        yield
    new = _names(folder) - before
    if new:
        _take_from_there(store, key, folder, own | new)


def own_folder(given: str) -> Path:
    """The folder that TensorFlow was told of; it goes when the process ends."""
    folder = Path(given)
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not in a child that the program has forked
        shutil.rmtree(folder, ignore_errors=True)


def _names(folder: Path) -> set[str]:
    try:
        return {name for name in os.listdir(folder) if not name.endswith(".tmp")}
    except OSError:
        return set()


def _put_there(store: Store, key: str, folder: Path) -> set[str]:
    """The files of the function, by name."""
    entry = store.get(KIND, key)
    if entry is None:
        return set()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for name, data in entry.sections.items():
            # Whole or not at all: TensorFlow fails on half a file.
            partial = folder / f"{os.urandom(6).hex()}.tmp"
            partial.write_bytes(data)
            os.replace(partial, folder / Path(name).name)
    except OSError:
        return set()
    return set(entry.sections)


def _take_from_there(store: Store, key: str, folder: Path, names: set[str]) -> None:
    """What was compiled during the call, with what there was before."""
    try:
        sections = {name: (folder / name).read_bytes() for name in names}
    except OSError:
        return
    if sections and sum(map(len, sections.values())) <= _MAX_BYTES:
        store.put(KIND, key, {}, sections)
