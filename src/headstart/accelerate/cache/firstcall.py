"""The first call of a function that is kept: when TensorFlow optimises its graph and compiles its programs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import NamedTuple

from . import environment, graphs, xla
from .engine import Engine
from .entry import Entry
from .store import Store


class Keys(NamedTuple):
    """Under which TensorFlow's work on one function is kept: the function itself, and all that it was done for."""

    programs: str
    graph: str


def keys(entry: Entry, name: str) -> Keys:
    """As of now: the program may have changed its settings since the function was made."""
    state = repr([environment.process_parts(), environment.current_parts(), environment.cores()])
    content = hashlib.sha256(entry.sections["functions"])
    content.update(state.encode())
    programs = content.hexdigest()
    # A second model that is equal has the same functions under other names, and its optimised graph has those.
    content.update(name.encode())
    return Keys(programs, content.hexdigest())


def manager(engine: Engine, entry: Entry, name: str) -> AbstractContextManager[None] | None:
    """What to put the first call of this function into, if anything."""
    programs = engine.options.xla and entry.header["xla"] and engine.xla_folder() is not None
    return _both(engine, entry, name, programs) if engine.options.graphs or programs else None


def forget(store: Store, entry: Entry, name: str) -> None:
    """Drops what TensorFlow has made of this function."""
    found = keys(entry, name)
    store.drop(graphs.KIND, found.graph)
    store.drop(xla.KIND, found.programs)


@contextmanager
def _both(engine: Engine, entry: Entry, name: str, programs: bool) -> Iterator[None]:
    found = keys(entry, name)
    folder = engine.xla_folder()
    with ExitStack() as stack:
        if engine.options.graphs:
            stack.enter_context(graphs.kept_for(engine, found.graph, name))
        if programs and folder is not None:
            stack.enter_context(xla.kept_for(engine.store, found.programs, folder))
        yield
