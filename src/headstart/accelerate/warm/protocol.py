"""The messages between the launcher and a warm server: fixed, length-prefixed, bounded; nothing is executed
or unpickled in reading them.

A request is `MAGIC`, a 4-byte length, then fields, each a 4-byte length and bytes. The descriptors that the
program inherits ride on its first bytes. All later messages, both ways, are frames: one letter, a signed
number, a text.
"""

from __future__ import annotations

import _socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAGIC = b"HSWARM\x01\n"
MOST_BYTES = 8 << 20  # an environment and argument list may take 2 MiB on Linux
MOST_TEXT = 1 << 16
MOST_DESCRIPTORS = 250  # the kernel passes at most 253 at once
FIELDS = 9

# What the server side says.
READY = b"R"  # the program stands ready and waits for GO; number: its process
DECLINED = b"D"  # this server cannot run it; text: why
ELSEWHERE = b"E"  # the program sets variables before its imports; text: which, for the choice of a server
EXITED = b"X"  # number: the exit status
KILLED = b"K"  # number: the signal it died of
STOPPED = b"S"  # number: the signal that stopped it
INFO = b"I"  # text: an answer
# What the launcher says.
GO = b"G"
SIGNAL = b"N"  # number: pass this signal on to the program


class BadMessage(Exception):
    """What arrived is not a message of ours."""


def pack(items: Sequence[bytes]) -> bytes:
    """A list of byte strings that hold no NUL, as one."""
    return b"".join([item + b"\0" for item in items])


def unpack(data: bytes) -> list[bytes]:
    if data and data[-1:] != b"\0":
        raise BadMessage("a list is cut off")
    return data.split(b"\0")[:-1]


def encode_request(fields: Sequence[bytes]) -> bytes:
    if len(fields) != FIELDS:
        raise BadMessage("wrong number of fields")
    body = b"".join([len(field).to_bytes(4, "big") + field for field in fields])
    if len(body) > MOST_BYTES:
        raise BadMessage("the request is too large")
    return MAGIC + len(body).to_bytes(4, "big") + body


def decode_body(body: bytes) -> list[bytes]:
    fields: list[bytes] = []
    at = 0
    while at < len(body):
        size = int.from_bytes(body[at : at + 4], "big")
        at += 4
        if at + size > len(body):
            raise BadMessage("a field runs past the end")
        fields.append(body[at : at + size])
        at += size
    if len(fields) != FIELDS:
        raise BadMessage("wrong number of fields")
    return fields


def encode_frame(kind: bytes, number: int = 0, text: str = "") -> bytes:
    data = text.encode("utf-8", "surrogateescape")[:MOST_TEXT]
    return kind + number.to_bytes(4, "big", signed=True) + len(data).to_bytes(4, "big") + data


class Frames:
    """Reads frames from a socket, blocking or not; keeps what is incomplete."""

    def __init__(self, sock: _socket.socket) -> None:
        self._sock = sock
        self._held = b""
        self.ended = False

    def receive(self) -> None:
        """Take what there is; raises what the socket raises."""
        data = self._sock.recv(65536)
        if not data:
            self.ended = True
        self._held += data

    def next(self) -> tuple[bytes, int, str] | None:
        """The next whole frame."""
        if len(self._held) < 9:
            return None
        size = int.from_bytes(self._held[5:9], "big")
        if size > MOST_TEXT:
            raise BadMessage("a frame is too large")
        if len(self._held) < 9 + size:
            return None
        kind, number = self._held[:1], int.from_bytes(self._held[1:5], "big", signed=True)
        text = self._held[9 : 9 + size].decode("utf-8", "surrogateescape")
        self._held = self._held[9 + size :]
        return kind, number, text
