"""What the caches were asked to do in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .store import DEFAULT_MAX_BYTES


@dataclass(frozen=True)
class CacheOptions:
    """Given by ``headstart run``; the defaults are what it does without options."""

    #: Where the entries are; ``None``: see :func:`folder.default_folder`.
    folder: Path | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    #: Trace for real as well, and compare.
    verify: bool = False
    #: Verify one of so many runs, unasked; 0: never.
    verify_one_in: int = 0
    traces: bool = True
    graphs: bool = True
    xla: bool = True
    #: Where TensorFlow was told to keep compiled programs, if it was.
    xla_folder: str = ""
    #: Build what the first trace would create before it, so that nothing is traced twice.
    prebuild: bool = True
    #: A trace quicker than this is not worth an entry.
    min_trace_seconds: float = 0.1
    #: Raise our own defects instead of hiding them: for tests.
    strict: bool = False
    #: Write what happened to this file when the process ends: for tests.
    report: Path | None = None
    #: Say on stderr, when the process ends, what was saved.
    verbose: bool = False

    @classmethod
    def from_environment(cls, given: Mapping[str, str]) -> CacheOptions:
        """From the options of ``headstart run``, and from the environment for what those do not have."""
        get = os.environ.get
        report = get("HEADSTART_CACHE_REPORT")
        off = {part.strip() for part in get("HEADSTART_CACHE_OFF", "").split(",")}
        return cls(
            max_bytes=int(_number("HEADSTART_CACHE_MAX_BYTES", DEFAULT_MAX_BYTES)),
            verify="verify" in given or get("HEADSTART_CACHE_VERIFY") == "1",
            verify_one_in=int(_number("HEADSTART_CACHE_VERIFY_ONE_IN", 0)),
            verbose="verbose" in given,
            traces="traces" not in off,
            graphs="graphs" not in off,
            xla="xla" not in off,
            xla_folder=given.get("xla-folder", ""),
            prebuild="prebuild" not in off,
            min_trace_seconds=_number("HEADSTART_CACHE_MIN_TRACE", 0.1),
            strict=get("HEADSTART_CACHE_STRICT") == "1",
            report=Path(report) if report else None,
        )


def _number(name: str, default: float) -> float:
    """What a variable says; nonsense says nothing."""
    try:
        return max(0.0, float(os.environ.get(name, default)))
    except ValueError:
        return default
