"""Loggers that packages make when they are imported.

`logging` keeps a list of all of them, and programs act on the whole list (`dictConfig` disables every logger
that it finds). So a package's loggers come and go with the package.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any


class Loggers:
    """Watches the list of loggers between its making and `take_back`."""

    def __init__(self) -> None:
        self._list = logging.Logger.manager.loggerDict
        self._at_start = dict(self._list)
        self._known = dict(self._list)

    def fresh(self) -> Callable[[], None] | None:
        """What puts the loggers that were made since the last call back into the list."""
        if len(self._list) == len(self._known):
            return None
        new = {name: made for name, made in self._list.items() if name not in self._known}
        self._known.update(new)
        return lambda: put_back(new)

    def take_back(self) -> None:
        self._list.clear()
        self._list.update(self._at_start)


def put_back(made: dict[str, Any]) -> None:
    manager: Any = logging.Logger.manager
    for name, logger in made.items():
        there = manager.loggerDict.get(name)
        if isinstance(there, logging.Logger) and isinstance(logger, logging.Logger):
            # The program was first: the package would have got its logger, and added what it adds.
            for handler in logger.handlers:
                there.addHandler(handler)
            if logger.level:
                there.setLevel(logger.level)
            logger.__dict__ = there.__dict__
        elif isinstance(logger, logging.Logger):
            manager.loggerDict[name] = logger
            if isinstance(there, logging.PlaceHolder):
                manager._fixupChildren(there, logger)
            manager._fixupParents(logger)
        elif there is None:
            manager.loggerDict[name] = logging.PlaceHolder.__new__(logging.PlaceHolder)
            manager.loggerDict[name].loggerMap = dict(logger.loggerMap)
    manager._clear_cache()
