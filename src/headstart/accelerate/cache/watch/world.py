"""The world outside the program: files, environment variables, other processes, the terminal."""

from __future__ import annotations

import builtins
import hashlib
import logging
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from typing import Any

from ..fingerprint import origin

_ABSENT = "\0absent"

#: What one sees happen and cannot undo or repeat: the trace had an effect of its own, or asked the world.
_REFUSED_EVENTS = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.remove",
    "os.rename",
    "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "shutil.",
    "os.listdir", "os.scandir", "glob.", "os.chdir", "os.putenv", "os.unsetenv", "urllib.", "ftplib.", "smtplib.",
    "sqlite3.", "signal.pthread_kill", "os.kill", "webbrowser.", "ctypes.dlopen", "mmap.",
)  # fmt: skip
_AUTOGRAPH = "__autograph_generated_file"
_NAMELESS = getattr(os, "O_TMPFILE", 1 << 62)


class Files:
    """Files opened, from Python's own audit events; one hook for the process, since it can never be taken out."""

    _installed = False
    _current: Files | None = None

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self.read: dict[str, None] = {}
        self._refuse = refuse
        self._thread = threading.get_ident()

    def start(self) -> None:
        tempfile.gettempdir()  # finding the place writes to it, once; AutoGraph would do it in the window
        if not Files._installed:
            Files._installed = True
            sys.addaudithook(_audit)
        Files._current = self

    def stop(self) -> None:
        Files._current = None

    def see(self, event: str, args: tuple[Any, ...]) -> None:
        if threading.get_ident() != self._thread:
            return
        if event == "open":
            self._opened(*args)
        elif event.startswith(_REFUSED_EVENTS) and not any(
            isinstance(arg, str) and _AUTOGRAPH in arg for arg in args
        ):
            self._refuse(f"while it is traced it does {event}")

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return  # a descriptor that is open already
        name = os.fsdecode(path)
        if _AUTOGRAPH in name or flags & _NAMELESS == _NAMELESS or os.path.isdir(name):
            return  # what AutoGraph makes, files that never had a name, and the place of a file that gets one
        writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
        if writes:
            if not name.endswith((".pyc", ".pyo")) and "__pycache__" not in name:
                self._refuse(f"while it is traced it writes {name}")
        elif name.startswith(("/dev/", "/proc/", "/sys/")):
            self._refuse(f"while it is traced it reads {name}")
        elif not _is_code(name):
            self.read[os.path.abspath(name)] = None


def _is_code(name: str) -> bool:
    """Source and compiled code: read to import or to convert; the key has what was made of it."""
    return name.endswith((".py", ".pyc", ".so")) or origin.of_file(name) == origin.STDLIB


def _audit(event: str, args: tuple[Any, ...]) -> None:
    current = Files._current
    if current is not None:
        try:
            current.see(event, args)
        except Exception:  # an audit hook that raises would stop the program's own action
            current._refuse(f"something not understood happened while it was traced ({event})")


class Environment:
    """Which environment variables were asked for.

    The class is patched: ``os.environ`` itself may be held anywhere.
    """

    def __init__(self) -> None:
        self.read: dict[str, str] = {}
        self._undo: list[Callable[[], None]] = []

    def start(self) -> None:
        kind = type(os.environ)
        read = self.read
        getitem, iterate = kind.__getitem__, kind.__iter__

        def __getitem__(mapping: Any, key: Any) -> Any:
            try:
                value = getitem(mapping, key)
            except KeyError:
                read[str(key)] = _ABSENT
                raise
            read[str(key)] = str(value)
            return value

        def __iter__(mapping: Any) -> Any:
            read["*"] = environment_value("*")
            return iterate(mapping)

        kind.__getitem__, kind.__iter__ = __getitem__, __iter__  # type: ignore[method-assign]

        def undo() -> None:
            kind.__getitem__, kind.__iter__ = getitem, iterate  # type: ignore[method-assign]

        self._undo.append(undo)

    def stop(self) -> None:
        while self._undo:
            self._undo.pop()()


def environment_value(name: str) -> str:
    """What reading this variable gives now, in the form that is stored."""
    if name == "*":
        return repr(sorted(os.environ._data.items()))  # type: ignore[attr-defined]
    return os.environ.get(name, _ABSENT)


class Printing:
    """Whether anything was said: printed, logged, warned; and what would have been, were more to be shown."""

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._refuse = refuse
        self.warned = False
        self.silent: set[tuple[str, int]] = set()
        self._undo: list[Callable[[], None]] = []

    def start(self) -> None:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None:
                self._replace(sys, name, _Heard(stream, lambda: self._refuse("while it is traced it prints")))
        handlers = logging.Logger.callHandlers

        def call_handlers(logger: Any, record: Any) -> None:
            self._refuse(f"while it is traced it logs ({record.name})")
            handlers(logger, record)

        self._replace(logging.Logger, "callHandlers", call_handlers)
        enabled = logging.Logger.isEnabledFor

        def is_enabled_for(logger: Any, level: Any) -> bool:
            answer = enabled(logger, level)
            if not answer:
                self.silent.add((str(logger.name), int(level)))
            return answer

        self._replace(logging.Logger, "isEnabledFor", is_enabled_for)
        warn = warnings.warn

        def heard_warn(
            message: Any, category: Any = None, stacklevel: int = 1, *rest: Any, **more: Any
        ) -> None:
            self.warned = True
            warn(message, category, stacklevel + 1, *rest, **more)

        self._replace(warnings, "warn", heard_warn)
        show = warnings.showwarning

        def showwarning(message: Any, category: Any, *rest: Any, **more: Any) -> None:
            self._refuse(f"while it is traced it warns ({category.__name__}: {str(message)[:120]})")
            show(message, category, *rest, **more)

        self._replace(warnings, "showwarning", showwarning)
        asked = builtins.input

        def heard_input(*args: Any) -> str:
            self._refuse("while it is traced it asks for input")
            return asked(*args)

        self._replace(builtins, "input", heard_input)

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        before = getattr(owner, name)
        setattr(owner, name, value)

        def undo() -> None:
            if getattr(owner, name) is value:  # else the program has put its own there since
                setattr(owner, name, before)

        self._undo.append(undo)

    def stop(self) -> None:
        while self._undo:
            self._undo.pop()()


def warning_filters() -> str:
    """Which warnings are shown, in the form that is stored."""
    return hashlib.sha256(repr((warnings.filters, sys.warnoptions)).encode()).hexdigest()


def is_silent(name: str, level: int) -> bool:
    """Whether a logger says nothing of a level. It is not made where there is none."""
    known = logging.root.manager.loggerDict.get(name) if name != "root" else logging.root
    return isinstance(known, logging.Logger) and not known.isEnabledFor(level)


class _Heard:
    """A stream that tells when something is written to it."""

    def __init__(self, stream: Any, tell: Callable[[], None]) -> None:
        self._stream = stream
        self._tell = tell

    def write(self, text: Any) -> Any:
        if text:
            self._tell()
        return self._stream.write(text)

    def writelines(self, lines: Any) -> Any:
        self._tell()
        return self._stream.writelines(lines)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "fileno"):
            self._tell()  # whoever asks for what lies below can write past us
        return getattr(self._stream, name)
