"""One window over one trace, and what was seen through it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..fingerprint import origin
from . import filesystem, world
from . import tensorflow as inside
from .files import Files
from .settings import Settings

#: A file that is read while tracing and is larger than this is data.
_MAX_FILE_BYTES = 64 << 20


@dataclass
class Seen:
    """Reasons not to keep the trace, and what it read: names and files with what they held."""

    reasons: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    #: Where it was run, if that decides which files it read.
    folder: str | None = None
    #: Automatic names that Keras gave out while it was traced: kind, count before, count after.
    names: dict[str, list[int]] = field(default_factory=dict)
    #: Loggers that were asked whether they would say something of a level, and would not.
    loggers: list[list[Any]] = field(default_factory=list)
    #: Which warnings are shown, if one was raised and not shown.
    filters: str | None = None
    #: Operations that were run at once and are more than functions of their inputs.
    operations: list[str] = field(default_factory=list)


class Window:
    """``with Window() as window: trace()``; afterwards ``window.seen``."""

    def __init__(self) -> None:
        self.seen = Seen()
        self._files = Files(self._refuse)
        self._environment = world.Environment()
        self._printing = world.Printing(self._refuse)
        self._operations = inside.EagerOperations()
        self._seeds = inside.DrawnSeeds(self._refuse)
        self._watchers = (
            *(self._files, filesystem.NativeFiles(self._refuse), self._environment, self._printing),
            *(self._operations, self._seeds),
        )
        self._modules: set[str] = set()
        self._undo: list[Callable[[], None]] = []

    @contextlib.contextmanager
    def building(self, drew: Callable[[], None]) -> Iterator[None]:
        """Around what makes a layer's weights. It is done for real in every process: what it draws and runs at once is
        no part of the trace. Whoever asks for this must see to that where it ``drew``."""
        watchers = (self._seeds, self._operations)
        for watcher in watchers:
            watcher.passing = True
        try:
            with self._streams.leaving_out(drew):
                yield
        finally:
            for watcher in watchers:
                watcher.passing = False

    def _refuse(self, reason: str) -> None:
        if reason not in self.seen.reasons:
            self.seen.reasons.append(reason)

    def __enter__(self) -> Window:
        self._modules = set(sys.modules)
        self._streams = inside.RandomStreams()
        self._bookkeeping = inside.KerasBookkeeping()
        self._settings = Settings()
        try:
            for watcher in self._watchers:
                self._undo.append(watcher.stop)
                watcher.start()
        except BaseException:
            self._stop()
            raise
        return self

    def _stop(self) -> None:
        while self._undo:
            self._undo.pop()()

    def __exit__(self, *problem: Any) -> None:
        self._stop()
        try:
            self._conclude()
        except Exception as trouble:  # the program's trace is done, and must not fail for our sake
            self._refuse(f"what its trace did could not be told ({type(trouble).__name__})")

    def _conclude(self) -> None:
        for name in self._streams.moved():
            self._refuse(f"its trace draws from {name}'s random generator")
        for name in self._bookkeeping.changed():
            self._refuse(f"its trace changes Keras' global state ({name})")
        for name in self._settings.changed():
            self._refuse(f"its trace changes a setting ({name})")
        self.seen.names.update(self._bookkeeping.names())
        # Functions are called by name and running number.
        names = (re.sub(r"(_hs[0-9a-f]{16})?_\d+$", "", name) for name in self._operations.stateful())
        self.seen.operations.extend(dict.fromkeys(names))
        for name in sorted(set(sys.modules) - self._modules):
            if origin.of_module(name) == origin.USER and not name.startswith("__autograph"):
                self._refuse(f"while it is traced it imports {name}")
        self.seen.environment.update(self._environment.read)
        self.seen.loggers.extend([name, level] for name, level in sorted(self._printing.silent))
        if self._printing.warned:
            self.seen.filters = world.warning_filters()
        for path in self._files.read:
            digest = file_digest(path)
            if digest is None:
                self._refuse(f"while it is traced it reads {path}, which is too large or gone")
            else:
                self.seen.files[path] = digest
                self.seen.folder = os.getcwd()


def file_digest(path: str) -> str | None:
    """What a file holds, or ``None`` where that cannot be said."""
    try:
        if os.path.getsize(path) > _MAX_FILE_BYTES:
            return None
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def why_not_as_before(header: Any) -> str | None:
    """Why what a trace read is not what it would read now, or ``None``; ``header`` is what was seen then."""
    if header["folder"] is not None and header["folder"] != os.getcwd():
        return "it reads files, and the current folder is another"
    for name, value in header["environment"].items():
        if world.environment_value(name) != value:
            return (
                f"environment variable {name} has changed" if name != "*" else "the environment has changed"
            )
    for path, digest in header["files"].items():
        if file_digest(path) != digest:
            return f"the file {path} has changed"
    if header["filters"] is not None and header["filters"] != world.warning_filters():
        return "it warns, and other warnings are shown than then"
    for name, level in header["loggers"]:
        if not world.is_silent(name, level):
            return f"it may log, and the logger {name} is not as it was"
    given = inside.names_given() if header["names"] else {}
    for kind, (before, _) in header["names"].items():
        if given.get(kind, 0) != before:
            return f"Keras has given out another number of names like {kind}"
    return None
