"""The world outside the program: environment variables, the terminal, warnings and loggers."""

from __future__ import annotations

import builtins
import hashlib
import logging
import os
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from .standin import StandIns

_ABSENT = "\0absent"


class Environment:
    """Which environment variables were asked for.

    What ``os.environ`` keeps them in is exchanged: the object itself may be held anywhere, and a frame of ours
    would show in the traceback of a variable that is missing.
    """

    def __init__(self) -> None:
        self.read: dict[str, str] = {}
        self._before: Any = None

    def start(self) -> None:
        self._before = os.environ._data  # type: ignore[attr-defined]
        self._put(_Variables(self._before, self.read))

    def stop(self) -> None:
        now = os.environ._data  # type: ignore[attr-defined]
        if isinstance(now, _Variables):
            self._before.clear()
            self._before.update(dict.items(now))
            self._put(self._before)

    def _put(self, data: Any) -> None:
        for environ in (os.environ, getattr(os, "environb", None)):
            if environ is not None:
                environ._data = data  # type: ignore[union-attr]


class _Variables(dict[Any, Any]):
    """The process's variables, telling which are read. (``copy`` and ``keys`` come by way of these.)"""

    def __init__(self, content: Any, read: dict[str, str]) -> None:
        super().__init__(content)
        self._read = read

    def __getitem__(self, key: Any) -> Any:
        name = os.fsdecode(key)
        try:
            value = super().__getitem__(key)
        except KeyError:
            self._read[name] = _ABSENT
            raise
        self._read[name] = os.fsdecode(value)
        return value

    def __contains__(self, key: Any) -> bool:
        try:
            self[key]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Any:
        self._read["*"] = environment_value("*")
        return super().__iter__()

    def __len__(self) -> int:
        self._read["*"] = environment_value("*")
        return super().__len__()


def environment_value(name: str) -> str:
    """What reading this variable gives now, in the form that is stored."""
    if name == "*":
        return repr(sorted(dict.items(os.environ._data)))  # type: ignore[attr-defined]
    value = dict.get(os.environ._data, os.fsencode(name), None)  # type: ignore[attr-defined]
    return _ABSENT if value is None else os.fsdecode(value)


class Printing:
    """Whether anything was said: printed, logged, warned; and what would have been, were more to be shown."""

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._refuse = refuse
        self.warned = False
        self.silent: set[tuple[str, int]] = set()
        self._stand_ins = StandIns()
        self._listening: Any = None

    def start(self) -> None:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None:
                self._replace(sys, name, _Heard(stream, self._heard))
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
        # Not a function in the place of ``warnings.warn``: that would be a frame more, and AutoGraph would convert it.
        listening = ("ignore", _Listening(self), Warning, None, 0)
        warnings.filters.insert(0, listening)  # type: ignore[attr-defined]
        self._listening = listening
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

    def _heard(self, what: str) -> None:
        self._refuse(f"while it is traced it {what}")

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            value.autograph_info__ = None  # type: ignore[attr-defined]  # AutoGraph leaves alone what has this
        self._stand_ins.put(owner, name, value)

    def stop(self) -> None:
        self._stand_ins.take_back()
        if self._listening is not None:
            _take_out(self._listening)
            self._listening = None


class _Listening:
    """Stands in the filters of warnings where a pattern for messages does, and matches none."""

    def __init__(self, printing: Printing) -> None:
        self._printing = printing

    def match(self, text: str) -> bool:
        self._printing.warned = True
        return False


def _take_out(listening: Any) -> None:
    for number, one in enumerate(list(warnings.filters)):
        if one is listening:
            del warnings.filters[number]  # type: ignore[attr-defined]
            return


def warning_filters() -> str:
    """Which warnings are shown, in the form that is stored."""
    return hashlib.sha256(repr((warnings.filters, sys.warnoptions)).encode()).hexdigest()


def is_silent(name: str, level: int) -> bool:
    """Whether a logger says nothing of a level. It is not made where there is none."""
    known = logging.root.manager.loggerDict.get(name) if name != "root" else logging.root
    return isinstance(known, logging.Logger) and not known.isEnabledFor(level)


class _Heard:
    """A stream that tells when something is written to it."""

    def __init__(self, stream: Any, tell: Callable[[str], None]) -> None:
        self._stream = stream
        self._tell = tell

    def write(self, text: Any) -> Any:
        if text:
            self._tell("prints")
        return self._stream.write(text)

    write.autograph_info__ = None  # type: ignore[attr-defined]

    def writelines(self, lines: Any) -> Any:
        self._tell("prints")
        return self._stream.writelines(lines)

    def __getattr__(self, name: str) -> Any:
        if name != "flush":
            # Whether it is a terminal, in which encoding; or what lies below, by which one can write past us.
            self._tell(f"looks at where it prints to ({name})")
        return getattr(self._stream, name)
