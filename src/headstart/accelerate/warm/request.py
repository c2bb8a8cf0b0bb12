"""A request as the server side reads it: every number checked, nothing trusted."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import NamedTuple

from ..program import Program
from .protocol import FIELDS, MAGIC, MOST_BYTES, MOST_DESCRIPTORS, BadMessage, decode_body, unpack

KINDS = ("script", "archive", "module", "code")
_INT = 4  # bytes of a C int


class Request(NamedTuple):
    """What a launcher asks for."""

    verb: bytes
    identity: bytes
    program: Program
    environ: dict[bytes, bytes]
    cwd: bytes
    descriptors: dict[int, int]
    """The number that the program expects, and the number here."""
    umask: int
    nice: int
    pid: int
    session: int
    ignored: int
    blocked: int
    limits: dict[int, tuple[int, int]]
    options: Mapping[str, str]


def receive(sock: socket.socket) -> Request:
    """Read one request and its descriptors; whatever is wrong is a BadMessage."""
    received: list[int] = []
    try:
        head = _head(sock, received)
        if head[: len(MAGIC)] != MAGIC:
            raise BadMessage("not a headstart launcher")
        size = int.from_bytes(head[len(MAGIC) :], "big")
        if size > MOST_BYTES:
            raise BadMessage("the request is too large")
        fields = decode_body(_exactly(sock, size))
        return parse(fields, received)
    except (BadMessage, ValueError, OSError) as error:
        for number in received:
            os.close(number)
        raise error if isinstance(error, BadMessage) else BadMessage(str(error)) from error


def _head(sock: socket.socket, received: list[int]) -> bytes:
    """The first bytes; the descriptors that come with them are added to `received`."""
    want = len(MAGIC) + 4
    head = b""
    space = socket.CMSG_LEN(MOST_DESCRIPTORS * _INT)
    while len(head) < want:
        data, ancillary, flags, _ = sock.recvmsg(want - len(head), space, socket.MSG_CMSG_CLOEXEC)
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                whole = len(payload) - len(payload) % _INT
                received += memoryview(payload[:whole]).cast("i").tolist()
        if flags & socket.MSG_CTRUNC:
            raise BadMessage("too many descriptors")
        if not data:
            raise BadMessage("cut off")
        head += data
    return head


def _exactly(sock: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        data = sock.recv(min(size, 1 << 20))
        if not data:
            raise BadMessage("cut off")
        parts.append(data)
        size -= len(data)
    return b"".join(parts)


def parse(fields: list[bytes], received: list[int]) -> Request:
    if len(fields) != FIELDS:
        raise BadMessage("wrong number of fields")
    verb, identity, program, environ, cwd, numbers, state, limits, options = fields
    kind, what, *words = [os.fsdecode(word) for word in unpack(program) or [b"", b""]]
    if verb == b"run" and (kind not in KINDS or not words):
        raise BadMessage(f"no such kind of program: {kind[:20]!r}")
    wanted = [int(number) for number in unpack(numbers)]
    if len(wanted) != len(received) or len(set(wanted)) != len(wanted):
        raise BadMessage("descriptors and their numbers do not match")
    if any(not 0 <= number < 1 << 20 for number in wanted):
        raise BadMessage("a descriptor number is out of range")
    umask, nice, pid, session = [int(number) for number in unpack(state)] or [0, 0, 0, 0]
    signals = unpack(limits)
    return Request(
        verb,
        identity,
        Program(kind, what, words),
        dict(_pair(item) for item in unpack(environ)),
        cwd,
        dict(zip(wanted, received, strict=True)),
        umask & 0o777,
        nice,
        pid,
        session,
        int(signals[0], 16) if signals else 0,
        int(signals[1], 16) if signals else 0,
        dict(_limit(item) for item in signals[2:]),
        {os.fsdecode(name): os.fsdecode(value) for name, value in map(_pair, unpack(options))},
    )


def _pair(item: bytes) -> tuple[bytes, bytes]:
    name, equals, value = item.partition(b"=")
    if not equals or not name:
        raise BadMessage("not NAME=value")
    return name, value


def _limit(item: bytes) -> tuple[int, tuple[int, int]]:
    number, soft, hard = [int(part) for part in item.split(b":")]
    return number, (soft, hard)
