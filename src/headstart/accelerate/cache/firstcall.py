"""The first call of a function that is kept: when TensorFlow optimises its graph and compiles its programs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from . import environment, graphs, xla
from .engine import Engine
from .entry import Entry

#: TensorFlow writes an optimised graph only where optimising took seconds; smaller ones never do.
_MIN_NODES = 1000


def manager(engine: Engine, entry: Entry, name: str) -> AbstractContextManager[None] | None:
    """What to put the first call of this function into, if anything."""
    graph = engine.options.graphs and entry.header["nodes"] >= _MIN_NODES
    programs = engine.options.xla and entry.header["xla"] and engine.xla_folder() is not None
    return _both(engine, entry, name, graph, programs) if graph or programs else None


@contextmanager
def _both(engine: Engine, entry: Entry, name: str, graph: bool, programs: bool) -> Iterator[None]:
    # Asked now and not when the function was made: the program may have changed its settings in between.
    state = repr([environment.process_parts(), environment.current_parts(), environment.cores()])
    content = hashlib.sha256(entry.sections["functions"])
    content.update(state.encode())
    key = content.hexdigest()
    folder = engine.xla_folder()
    with ExitStack() as stack:
        if graph:
            stack.enter_context(graphs.kept_for(engine.store, key, name))
        if programs and folder is not None:
            stack.enter_context(xla.kept_for(engine.store, key, folder))
        yield
