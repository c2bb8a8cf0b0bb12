"""Settings of the process that a trace may change: what it sets is set for all that comes after it, and a replay would
leave it out."""

from __future__ import annotations

import builtins
import logging
from typing import Any

from .. import environment
from . import world

_LIKE_NEW: tuple[Any, ...] = (logging.NOTSET, False, True, [], [])


class Settings:
    """As they were when this was made."""

    def __init__(self) -> None:
        self._parts = dict(environment.current_parts())
        self._filters = world.warning_filters()
        self._loggers = _loggers()
        self._builtins = set(vars(builtins))

    def changed(self) -> list[str]:
        """What is not as it was, by name."""
        now = dict(environment.current_parts())
        found = [name for name in {**self._parts, **now} if self._parts.get(name) != now.get(name)]
        if world.warning_filters() != self._filters:
            found.append("the filters of warnings")
        if set(vars(builtins)) != self._builtins:
            found.append("the names that all modules have")
        loggers = _loggers()
        found += [
            f"the logger {name}"
            for name, state in loggers.items()
            if state != self._loggers.get(name, _LIKE_NEW)  # to ask for one makes it
        ]
        return found


def _loggers() -> dict[str, tuple[Any, ...]]:
    root = logging.getLogger()
    known = {name: one for name, one in root.manager.loggerDict.items() if isinstance(one, logging.Logger)}
    found = {name: _state(one) for name, one in {**known, "root": root}.items()}
    return {**found, "of all": (root.manager.disable,)}


def _state(logger: logging.Logger) -> tuple[Any, ...]:
    return logger.level, logger.disabled, logger.propagate, list(logger.handlers), list(logger.filters)
