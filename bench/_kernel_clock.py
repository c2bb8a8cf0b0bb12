"""How long a process lived, by the kernel's own account (taskstats): a clock outside of everything that we measure.

Linux tells whoever asks (as root) about each task that ends, in microseconds since it was created.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from types import TracebackType

_NETLINK_GENERIC = 16
_FAMILY_BY_NAME, _NAME, _ID = 3, 2, 1  # of the family that knows the others
_GET, _REGISTER = 1, 3
_STATISTICS, _OF_TASK, _OF_PROCESS = 3, 4, 5
_PID, _PARENT, _ELAPSED = 128, 132, 144  # offsets in struct taskstats, the same since its first version
_ACKNOWLEDGED = 5
_RECEIVE_BUFFER = 33  # SO_RCVBUFFORCE, which the socket module does not name


class KernelClock:
    """In force while processes run; then :meth:`seconds` tells of their children."""

    def __enter__(self) -> KernelClock:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_GENERIC)
        # Nobody reads until the program has ended, and each of its threads is told of.
        self._socket.setsockopt(socket.SOL_SOCKET, _RECEIVE_BUFFER, 64 << 20)
        self._socket.bind((0, 0))
        self._socket.send(_message(_NETLINK_GENERIC, _FAMILY_BY_NAME, _NAME, b"TASKSTATS\0"))
        family = struct.unpack("H", dict(_attributes(self._socket.recv(8192)[20:]))[_ID])[0]
        processors = f"0-{(os.cpu_count() or 1) - 1}\0".encode()
        self._socket.send(_message(family, _GET, _REGISTER, processors, _ACKNOWLEDGED))
        if code := struct.unpack("i", self._socket.recv(4096)[16:20])[0]:
            raise PermissionError(-code, "the kernel's account of processes needs root")
        return self

    def seconds(self, parent: int) -> list[float]:
        """Of each child of ``parent`` that has ended since the last call."""
        found: dict[int, float] = {}
        self._socket.settimeout(0.2)
        while True:
            try:
                data = self._socket.recv(1 << 16)
            except TimeoutError:
                return list(found.values())
            for kind, content in _attributes(data[20:]):
                statistics = dict(_attributes(content)).get(_STATISTICS) if kind == _OF_TASK else None
                if statistics and struct.unpack_from("I", statistics, _PARENT)[0] == parent:
                    task = struct.unpack_from("I", statistics, _PID)[0]
                    found[task] = struct.unpack_from("Q", statistics, _ELAPSED)[0] / 1e6

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()


def _message(family: int, command: int, attribute: int, value: bytes, flags: int = 1) -> bytes:
    padded = struct.pack("HH", 4 + len(value), attribute) + value + b"\0" * (-len(value) % 4)
    body = struct.pack("BBxx", command, 1) + padded
    return struct.pack("IHHII", 16 + len(body), family, flags, 1, 0) + body


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("HH", data, at)
        if length < 4:
            return
        yield kind & 0x7FFF, data[at + 4 : at + length]
        at += (length + 3) & ~3
