"""Which versions headstart was made for and is tested with."""

from __future__ import annotations

PYTHON = ((3, 10), (3, 13))
TENSORFLOW = ((2, 16), (2, 21))


def version_pair(version: str) -> tuple[int, int]:
    """(major, minor) of a version text; zeros for what is no number."""
    numbers = [int(part) if part.isdigit() else 0 for part in version.split(".")[:2]]
    return (numbers[0], numbers[1] if len(numbers) > 1 else 0)


def tensorflow_trouble(version: str) -> str | None:
    """What to say about a TensorFlow that headstart was not made for, None for one that it was."""
    low, high = TENSORFLOW
    known = f"{low[0]}.{low[1]} to {high[0]}.{high[1]}"
    if version_pair(version) < low:
        return f"TensorFlow {version} is too old: headstart knows {known}, so much of this run has no name"
    if version_pair(version) > high:
        return f"TensorFlow {version} is newer than headstart knows ({known}): some probes may be off"
    return None
