"""What a kept trace depends on beside what it can reach: the libraries, settings, and what it read of the world.

More may be wanted of it later than to run it. It is then traced for real, but only where that gives the same: plain
TensorFlow goes on with the graph of the first call, whatever has become of its surroundings since.
"""

from __future__ import annotations

from typing import Any

from .. import environment
from ..watch.window import why_not_as_before

#: What is another inside of another trace, and is no part of this one.
_OF_THE_CALL = frozenset(
    f"tensorflow {name}"
    for name in ("device scope", "name scope", "attributes", "gradient overrides", "variable creators")
)


class Surroundings:
    """As they are when a kept trace is put in its place; ``guards`` say what it read."""

    def __init__(self, libraries: dict[str, str], guards: dict[str, Any]) -> None:
        self._libraries, self._settings = dict(libraries), _settings()
        # The names that it took are given out by now.
        self._guards = {**guards, "names": {}}

    def are_those_of(self, libraries: dict[str, str]) -> bool:
        return (
            all(libraries.get(name, digest) == digest for name, digest in self._libraries.items())
            and _settings() == self._settings
            and why_not_as_before(self._guards) is None
        )


def _settings() -> list[tuple[str, str]]:
    return [part for part in environment.current_parts() if part[0] not in _OF_THE_CALL]
