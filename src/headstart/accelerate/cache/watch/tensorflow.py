"""What a trace did inside TensorFlow and Keras beside building a graph:

random draws, operations run at once, bookkeeping.
"""

from __future__ import annotations

import contextlib
import random
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .standin import StandIns


class RandomStreams:
    """Python's, NumPy's and TensorFlow's generators: what is drawn later must not depend on whether a trace ran."""

    def __init__(self) -> None:
        self._before = _streams()
        self._moved: set[str] = set()

    def moved(self) -> list[str]:
        now = _streams()
        self._moved.update(name for name, state in self._before.items() if now.get(name) != state)
        return [name for name in self._before if name in self._moved]

    @contextlib.contextmanager
    def leaving_out(self, drew: Callable[[], None]) -> Iterator[None]:
        """What is drawn from Python's and NumPy's meanwhile does not count, but is told."""
        self.moved()
        before = _streams()
        try:
            yield
        finally:
            now = _streams()
            for name in ("python", "numpy"):
                if now.get(name) != before.get(name):
                    self._before[name] = now[name]
                    drew()


def _streams() -> dict[str, Any]:
    streams: dict[str, Any] = {"python": random.getstate()}
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        kind, keys, *rest = numpy.random.get_state()
        streams["numpy"] = (kind, keys.tobytes(), *rest)
    context = sys.modules.get("tensorflow.python.eager.context")
    if context is not None:
        live = context.context()
        generator = getattr(live, "_rng", None)
        streams["tensorflow"] = (
            getattr(live, "_seed", None),
            generator.getstate() if generator is not None else None,
        )
    return streams


_NAMES = "object_name_uids"
#: Variables of a layer that is being built: there from the first such layer on, and empty when it is done.
_WAITING = "uninitialized_variables"


class KerasBookkeeping:
    """Keras' global state:

    names given out, the global seed, scopes. A trace that changes it did more than trace.
    """

    def __init__(self) -> None:
        self._before = _keras_globals()
        self._names = names_given()

    def changed(self) -> list[str]:
        now = _keras_globals()
        return sorted(name for name in {*self._before, *now} if self._before.get(name) != now.get(name))

    def names(self) -> dict[str, list[int]]:
        """How many automatic names of each kind were given out before the trace, and after it."""
        now = names_given()
        return {
            kind: [self._names.get(kind, 0), now[kind]]
            for kind in now
            if now[kind] != self._names.get(kind, 0)
        }


def names_given() -> dict[str, int]:
    """Keras' counters for ``dense_1``, ``dense_2`` and so on."""
    module = sys.modules.get("keras.src.backend.common.global_state")
    found = getattr(getattr(module, "GLOBAL_STATE_TRACKER", None), _NAMES, None)
    return dict(found) if found else {}


def give_names(counts: dict[str, int]) -> None:
    """Sets the counters, so that later names are what they would be after a trace."""
    module = sys.modules["keras.src.backend.common.global_state"]
    found = getattr(module.GLOBAL_STATE_TRACKER, _NAMES, None)
    if found is None:
        import collections

        found = collections.defaultdict(int)
        setattr(module.GLOBAL_STATE_TRACKER, _NAMES, found)
    found.update(counts)


def _keras_globals() -> dict[str, Any]:
    module = sys.modules.get("keras.src.backend.common.global_state")
    found: dict[str, Any] = {}
    for name in ("GLOBAL_STATE_TRACKER", "GLOBAL_SETTINGS_TRACKER"):
        for key, value in vars(getattr(module, name, None) or _Nothing()).items():
            # None is what a scope leaves behind that was never entered before.
            if value is not None and key != _NAMES and not (key == _WAITING and not value):
                found[key] = dict(value) if isinstance(value, dict) else (id(value), repr(value)[:200])
    return found


class _Nothing:
    pass


class DrawnSeeds:
    """Whether the seed of one of Keras' initializers was read: it is another one in every process, and so not in the
    key."""

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._refuse = refuse
        self._kind: Any = None
        self.passing = False  # what is read now is not of the trace's doing

    def start(self) -> None:
        module = sys.modules.get("keras.src.initializers.random_initializers")
        self._kind = getattr(module, "RandomInitializer", None)
        if self._kind is not None:
            self._kind.seed = _ReadSeed(self._read)

    def _read(self) -> None:
        if not self.passing:
            self._refuse("while it is traced it uses a random initializer")

    def stop(self) -> None:
        if self._kind is not None and isinstance(self._kind.__dict__.get("seed"), _ReadSeed):
            del self._kind.seed


class _ReadSeed:
    """In the way of an attribute that objects have in their dictionaries."""

    def __init__(self, read: Callable[[], None]) -> None:
        self._read = read

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        self._read()
        try:
            return instance.__dict__["seed"]
        except KeyError:
            raise AttributeError("seed") from None

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__["seed"] = value

    def __delete__(self, instance: Any) -> None:
        instance.__dict__.pop("seed", None)


class EagerOperations:
    """Operations executed at once while a graph was being built: reading a variable, drawing, assigning."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.passing = False
        self._thread = threading.get_ident()
        self._stand_ins = StandIns()

    def start(self) -> None:
        from tensorflow.python import pywrap_tfe

        self._wrap(pywrap_tfe, "TFE_Py_FastPathExecute", 1)
        self._wrap(pywrap_tfe, "TFE_Py_Execute", 2)

    def _wrap(self, owner: Any, name: str, at: int) -> None:
        inner = getattr(owner, name)
        seen, thread = self.seen, self._thread

        def execute(*args: Any) -> Any:
            if threading.get_ident() == thread and not self.passing:
                operation = str(args[at])
                seen[operation] = seen.get(operation, 0) + 1
            return inner(*args)

        self._stand_ins.put(owner, name, execute)

    def stop(self) -> None:
        self._stand_ins.take_back()

    def stateful(self) -> list[str]:
        """Those that are more than a function of their inputs."""
        from tensorflow.python.framework import op_def_registry

        found = []
        for name in self.seen:
            definition = op_def_registry.get(name)
            if definition is None or definition.is_stateful:
                found.append(name)
        return found
