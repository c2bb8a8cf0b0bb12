"""Draws from the global random generator while importing.

A program that seeds `random` and then imports a package gets, afterwards, the numbers that come after those
that the package drew. So the draws are recorded in the server and drawn again, from whatever seed, in the
program.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

_MOST_WORDS = 5000


class Tap:
    """Records what is drawn from `random`'s own generator between `start` and `stop`."""

    def __init__(self) -> None:
        self._calls: list[tuple[str, tuple[Any, ...]]] = []

    def start(self) -> None:
        calls = self._calls

        class Recording(random.Random):
            # The methods of the module end in these; only the last step of a chain is recorded.
            def random(self) -> float:
                calls.append(("random", ()))
                return super().random()

            def getrandbits(self, k: int, /) -> int:
                calls.append(("getrandbits", (k,)))
                return super().getrandbits(k)

            def _randbelow(self, n: int) -> int:
                at = len(calls)
                value = _BELOW(self, n)
                calls[at:] = [("_randbelow", (n,))]
                return int(value)

        self._generator: Any = random._inst
        self._generator.__class__ = Recording
        self._state = self._generator.getstate()

    def stop(self) -> None:
        self._generator.__class__ = random.Random

    def fresh(self) -> Callable[[], None] | None:
        """What to do again for the draws since the last call."""
        state = self._generator.getstate()
        if state == self._state:
            return None
        calls = list(self._calls) or [("getrandbits", (32,))] * self._words(state)
        self._calls.clear()
        self._state = state
        generator = self._generator
        return lambda: _draw(generator, calls)

    def _words(self, state: Any) -> int:
        """How many words were drawn by functions written in C, that went past the recording."""
        shadow = random.Random()
        shadow.setstate(self._state)
        for count in range(1, _MOST_WORDS):
            shadow.getrandbits(32)
            if shadow.getstate() == state:
                return count
        return 0  # seeded anew: nothing to repeat


_BELOW: Any = random.Random._randbelow  # type: ignore[attr-defined]


def _draw(generator: Any, calls: list[tuple[str, tuple[Any, ...]]]) -> None:
    for name, arguments in calls:
        getattr(generator, name)(*arguments)
