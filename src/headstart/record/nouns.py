"""The nouns of a run, as typed, frozen records."""

from __future__ import annotations

from typing import Any

import msgspec


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote the record, and when its clock started."""

    headstart_record: int
    headstart: str
    run: str
    pid: int
    ppid: int
    argv: list[str]
    executable: str
    python: str
    start_ns: int
    boot_ns: int
    unix_ns: int
    main_tid: int
    origin: str = "launch"
    """"launch" | "fork" | "spawn" | "exec" | "warm" | "api": how this process came to be recorded."""
    parent_record: str | None = None
    rank: str | None = None


class Span(msgspec.Struct, frozen=True):
    """A stretch of time in which one thread did one thing."""

    start_ns: int
    end_ns: int
    tid: int
    kind: str
    name: str
    attrs: dict[str, Any]

    @property
    def seconds(self) -> float:
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def site(self) -> tuple[str, int, str] | None:
        site = self.attrs.get("site")
        return (site[0], site[1], site[2] if len(site) > 2 else "") if site else None


class Mark(msgspec.Struct, frozen=True):
    """An instant worth knowing."""

    at_ns: int
    tid: int
    kind: str
    name: str
    attrs: dict[str, Any]


class Sample(msgspec.Struct, frozen=True):
    """Where the main thread was at one moment."""

    at_ns: int
    flags: int
    file: str | None
    line: int
    function: str
    entry: str
    """The outermost library function that the user's code called, as `package/module.py:function`."""
    leaf: str
    """The innermost frame, in the same form."""
    traced: str = ""
    """The function being traced that AutoGraph has rewritten, and what it called: `step → package/module.py:function`."""


class Counters(msgspec.Struct, frozen=True):
    """Values read at one moment."""

    at_ns: int
    values: dict[str, int]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One process, as recorded."""

    path: str
    header: Header
    spans: list[Span]
    marks: list[Mark]
    samples: list[Sample]
    counters: list[Counters]
    facts: dict[str, Any]
    end_ns: int
    """When the process was reaped, or the last moment that the record knows of."""
    closed: dict[str, Any] | None
    """What the capture said when it closed, None when it never got to."""
    exit: dict[str, Any] | None
    """What the launcher said about the end, None when the record is cut."""
    open_spans: list[Span]
    """Spans that were open when the record ended, closed at `end_ns`; not in `spans`."""
    dropped_lines: int = 0

    @property
    def cut(self) -> bool:
        """True when the process ended without the capture or the launcher seeing it."""
        return self.exit is None and self.closed is None

    @property
    def wall_ns(self) -> int:
        return self.end_ns - self.header.start_ns
