"""Things of ours in the places of others, for as long as a trace is watched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class StandIns:
    """What was put where; all of it is taken back at once."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def put(self, owner: Any, name: str, value: Any) -> None:
        before = getattr(owner, name)
        setattr(owner, name, value)

        def undo() -> None:
            if getattr(owner, name) is value:  # else the program has put its own there since
                setattr(owner, name, before)

        self._undo.append(undo)

    def take_back(self) -> None:
        while self._undo:
            self._undo.pop()()
