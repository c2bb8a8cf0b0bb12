"""What the caches were asked to do in this process."""

from __future__ import annotations

import os
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
    #: Build what the first trace would create before it, so that nothing is traced twice.
    prebuild: bool = True
    #: A trace quicker than this is not worth an entry.
    min_trace_seconds: float = 0.1
    #: Raise our own defects instead of hiding them: for tests.
    strict: bool = False
    #: Write what happened to this file when the process ends: for tests, and for ``run -v``.
    report: Path | None = None

    @classmethod
    def from_environment(cls) -> CacheOptions:
        """For processes that are started without a launcher that could hand over options."""
        get = os.environ.get
        size = get("HEADSTART_CACHE_MAX_BYTES")
        report = get("HEADSTART_CACHE_REPORT")
        off = {part.strip() for part in get("HEADSTART_CACHE_OFF", "").split(",")}
        return cls(
            max_bytes=int(size) if size and size.isdigit() else DEFAULT_MAX_BYTES,
            verify=get("HEADSTART_CACHE_VERIFY") == "1",
            traces="traces" not in off,
            graphs="graphs" not in off,
            xla="xla" not in off,
            prebuild="prebuild" not in off,
            min_trace_seconds=float(get("HEADSTART_CACHE_MIN_TRACE", "0.1")),
            strict=get("HEADSTART_CACHE_STRICT") == "1",
            report=Path(report) if report else None,
        )
