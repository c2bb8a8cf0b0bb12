"""The first call of a function that is kept: when TensorFlow optimises its graph and compiles its programs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, NamedTuple

from . import environment, graphs, xla
from .engine import Engine
from .entry import Entry
from .store import Store


class Keys(NamedTuple):
    """Under which TensorFlow's work on one function is kept: the function itself, and all that it was done for."""

    programs: str
    graph: str


def keys(entry: Entry, name: str, inputs: Sequence[Any]) -> Keys:
    """As of now: the program may have changed its settings since the function was made."""
    state = repr([environment.process_parts(), environment.current_parts(), environment.cores()])
    content = hashlib.sha256(entry.sections["functions"])
    content.update(state.encode())
    programs = content.hexdigest()
    # A second model that is equal has the same functions under other names, and its optimised graph has those.
    # It also has, for each argument, the device that the argument was on.
    content.update(repr([name, environment.places(inputs)]).encode())
    return Keys(programs, content.hexdigest())


Manager = Callable[[Sequence[Any]], AbstractContextManager[None]]
"""Given the inputs of a call, what to put that call into."""


def manager(engine: Engine, entry: Entry, name: str, saved: Callable[[float], None]) -> Manager | None:
    """For the first call of this function, if anything; ``saved(seconds)`` is told what that spared."""
    programs = engine.options.xla and entry.header["xla"] and engine.xla_folder() is not None
    if not (engine.options.graphs or programs):
        return None
    return lambda inputs: _both(engine, keys(entry, name, inputs), name, programs, saved)


def forget(store: Store, entry: Entry, name: str, inputs: Sequence[Any]) -> None:
    """Drops what TensorFlow has made of this function."""
    found = keys(entry, name, inputs)
    store.drop(graphs.KIND, found.graph)
    store.drop(xla.KIND, found.programs)


@contextmanager
def _both(
    engine: Engine, found: Keys, name: str, programs: bool, saved: Callable[[float], None]
) -> Iterator[None]:
    folder = engine.xla_folder()
    with ExitStack() as stack:
        if engine.options.graphs:
            stack.enter_context(graphs.kept_for(engine, found.graph, name, saved))
        if programs and folder is not None:
            stack.enter_context(xla.kept_for(engine.store, found.programs, folder))
        yield
