"""The file form of one cache entry: a header that says what it is, sections of bytes, and a seal.

The form is read by hand and never by anything that can execute: a length, JSON, raw bytes, SHA-256. The seal
covers header and sections together, so an entry is either exactly what was written or it is nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAGIC = b"headstart-cache 1\n"
_LENGTH_BYTES = 4
_SEAL_BYTES = 32
#: A header is a few hundred kilobytes at the very most; more than this is damage, not data.
MAX_HEADER_BYTES = 64 << 20


class DamagedEntry(ValueError):
    """The bytes are not an entry that we wrote."""


@dataclass(frozen=True)
class Entry:
    """A header of plain JSON values and named sections of bytes."""

    header: Mapping[str, Any]
    sections: Mapping[str, bytes] = field(default_factory=dict)


def encode(entry: Entry) -> bytes:
    """The bytes to write to disk."""
    layout = [[name, len(data)] for name, data in entry.sections.items()]
    header = json.dumps({"header": entry.header, "sections": layout}, separators=(",", ":")).encode()
    body = b"".join([MAGIC, len(header).to_bytes(_LENGTH_BYTES, "big"), header, *entry.sections.values()])
    return body + hashlib.sha256(body).digest()


def decode(data: bytes) -> Entry:
    """The entry in ``data``; :class:`DamagedEntry` unless every byte is as it was written."""
    if len(data) < len(MAGIC) + _LENGTH_BYTES + _SEAL_BYTES or not data.startswith(MAGIC):
        raise DamagedEntry("not a headstart cache entry, or cut short")
    view = memoryview(data)
    if hashlib.sha256(view[:-_SEAL_BYTES]).digest() != data[-_SEAL_BYTES:]:
        raise DamagedEntry("the seal does not match the content")
    document, start = _header(data)
    sections: dict[str, bytes] = {}
    for name, size in document["sections"]:
        sections[name] = bytes(view[start : start + size])
        start += size
    if start != len(data) - _SEAL_BYTES:
        raise DamagedEntry("the sections do not fill the entry")
    return Entry(document["header"], sections)


def decode_header(data: bytes) -> Mapping[str, Any]:
    """Only the header, from the first bytes of an entry: for listings, never for use in a program."""
    if not data.startswith(MAGIC):
        raise DamagedEntry("not a headstart cache entry")
    header: Mapping[str, Any] = _header(data)[0]["header"]
    return header


def header_length(prefix: bytes) -> int:
    """How many bytes of an entry to read to have its whole header."""
    at = len(MAGIC)
    if len(prefix) < at + _LENGTH_BYTES or not prefix.startswith(MAGIC):
        raise DamagedEntry("not a headstart cache entry")
    size = int.from_bytes(prefix[at : at + _LENGTH_BYTES], "big")
    if size > MAX_HEADER_BYTES:
        raise DamagedEntry("the header's length is not believable")
    return at + _LENGTH_BYTES + size


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    end = header_length(data[: len(MAGIC) + _LENGTH_BYTES])
    if end > len(data):
        raise DamagedEntry("the header is cut short")
    try:
        document = json.loads(data[len(MAGIC) + _LENGTH_BYTES : end])
        if not isinstance(document["header"], dict):
            raise DamagedEntry("the header is not a record")
        if any(not isinstance(name, str) or int(size) < 0 for name, size in document["sections"]):
            raise DamagedEntry("the list of sections makes no sense")
    except (ValueError, KeyError, TypeError) as problem:
        raise DamagedEntry(f"the header cannot be read: {problem}") from None
    return document, end
