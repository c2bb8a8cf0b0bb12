"""Reads run files, whole or cut short."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from .format import HEADER_KEY, RECORD_VERSION
from .nouns import Counters, Header, Mark, Run, Sample, Span


class RecordError(Exception):
    """The file is not a run that this version can read."""


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read one run file. A cut last line is forgiven; a foreign or newer file is not."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as handle:
            data = handle.read()
    except IsADirectoryError:
        raise RecordError(f"{name} is a directory, not a run file") from None
    except OSError as error:
        raise RecordError(f"cannot read {name}: {error.strerror}") from None
    lines = data.split(b"\n")
    builder = Builder(name, read_header(name, lines[0]))
    builder.add(lines[1:])
    return builder.run()


def read_header(name: str, line: bytes) -> Header:
    if not line.strip():
        raise RecordError(f"{name} is empty: the program ended before anything was recorded")
    try:
        raw = msgspec.json.decode(line)
    except msgspec.DecodeError:
        raise RecordError(f"{name} is not a headstart run file") from None
    if not isinstance(raw, dict) or HEADER_KEY not in raw:
        raise RecordError(f"{name} is not a headstart run file")
    version = raw[HEADER_KEY]
    if version != RECORD_VERSION:
        raise RecordError(
            f"{name} has record format {version!r}; this headstart reads format {RECORD_VERSION}. "
            "Read it with the headstart version that wrote it."
        )
    try:
        return msgspec.convert(raw, Header)
    except msgspec.ValidationError as error:
        raise RecordError(f"{name} has a damaged header: {error}") from None


class Builder:
    """Collects the lines of one run."""

    def __init__(self, path: str, header: Header) -> None:
        self.path = path
        self.header = header
        self.spans: list[Span] = []
        self.marks: list[Mark] = []
        self.samples: list[Sample] = []
        self.counters: list[Counters] = []
        self.facts: dict[str, Any] = {}
        self.closed: dict[str, Any] | None = None
        self.exit: dict[str, Any] | None = None
        self.open: tuple[int, list[Any]] = (0, [])
        self.last_ns = header.boot_ns
        self.dropped = 0

    def add(self, lines: list[bytes]) -> None:
        decode = msgspec.json.Decoder().decode
        for line in lines:
            if not line:
                continue
            try:
                self._line(decode(line))
            except (
                msgspec.DecodeError,
                UnicodeDecodeError,
                ValueError,
                TypeError,
                IndexError,
                AttributeError,
            ):
                # A killed process leaves half a line; the launcher's trailer may still follow it.
                self.dropped += 1

    def run(self) -> Run:
        """What was added so far."""
        end_ns = self.exit["at_ns"] if self.exit else self.last_ns
        return Run(
            path=self.path,
            header=self.header,
            spans=self.spans,
            marks=self.marks,
            samples=self.samples,
            counters=self.counters,
            facts=self.facts,
            end_ns=max(end_ns, self.header.start_ns),
            closed=self.closed,
            exit=self.exit,
            open_spans=self._open_spans(end_ns),
            dropped_lines=self.dropped,
        )

    def _line(self, item: Any) -> None:
        tag = item[0]
        if tag == "s":
            _, start, end, tid, kind, name, attrs = item
            if not 0 <= start <= end:
                raise ValueError("a span that ends before it starts")
            self.spans.append(Span(start, end, tid, kind, name, attrs or {}))
            self.last_ns = max(self.last_ns, end)
        elif tag == "m":
            _, at, tid, kind, name, attrs = item
            self.marks.append(Mark(at, tid, kind, name, attrs or {}))
            self.last_ns = max(self.last_ns, at)
        elif tag == "p":
            self.samples.append(Sample(*item[1:]))
            self.last_ns = max(self.last_ns, item[1])
        elif tag == "o":
            self.open = (item[1], item[2])
            self.last_ns = max(self.last_ns, item[1])
        elif tag == "c":
            self.counters.append(Counters(item[1], item[2]))
            self.last_ns = max(self.last_ns, item[1])
        elif tag == "f":
            self.facts.update(item[1])
        elif tag == "z":
            self.closed = {"at_ns": item[1], **item[2]}
            self.last_ns = max(self.last_ns, item[1])
        elif tag == "x":
            self.exit = {"at_ns": item[1], **item[2]}
        # Unknown tags come from a newer headstart with the same format version: additions are allowed.

    def _open_spans(self, end_ns: int) -> list[Span]:
        """The last snapshot's spans that never ended."""
        at, snapshot = self.open
        ended = {(s.start_ns, s.kind, s.name) for s in self.spans if s.end_ns >= at}
        tid = self.header.main_tid
        return [
            Span(start, max(end_ns, start), tid, kind, name, {"cut": True})
            for start, kind, name in snapshot
            if (start, kind, name) not in ended
        ]
