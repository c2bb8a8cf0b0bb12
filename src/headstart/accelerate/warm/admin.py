"""Looks after servers from outside: which there are, what they say of themselves, how to end one."""

from __future__ import annotations

import os
import signal
import socket

from . import places
from .protocol import FIELDS, INFO, BadMessage, Frames, encode_request

PATIENCE_SECONDS = 2.0


class Known:
    """A server that has announced itself."""

    def __init__(self, folder: str, name: str) -> None:
        self.folder = folder
        self.name = name
        self.facts: dict[str, str] = {}

    @property
    def pid(self) -> int:
        return int(self.name) if self.name.isdigit() else 0

    def path(self, suffix: str) -> str:
        return os.path.join(self.folder, self.name + suffix)

    def ask(self, verb: bytes) -> str | None:
        """The answer to "status" or "stop"; None if there is nobody."""
        try:
            with socket.socket(socket.AF_UNIX) as sock:
                sock.settimeout(PATIENCE_SECONDS)
                sock.connect(self.path(places.SOCKET))
                sock.sendall(encode_request([verb, *[b""] * (FIELDS - 1)]))
                frames = Frames(sock)
                while (frame := frames.next()) is None and not frames.ended:
                    frames.receive()
        except (OSError, BadMessage):
            return None
        return frame[2] if frame and frame[0] == INFO else None

    def alive(self) -> bool:
        answer = self.ask(b"status")
        self.facts = dict(line.split("=", 1) for line in (answer or "").splitlines() if "=" in line)
        return answer is not None

    def last_used(self) -> float:
        try:
            return os.stat(self.path(places.KEY)).st_mtime
        except OSError:
            return 0.0

    def end(self) -> None:
        """Stop it, by force if it does not listen, and clear away what it leaves."""
        if self.ask(b"stop") is None and self.pid and self._is_server():
            try:
                os.kill(self.pid, signal.SIGKILL)
            except OSError:
                pass
        self.forget()

    def _is_server(self) -> bool:
        """A number may have been given to another process since."""
        try:
            with open(f"/proc/{self.pid}/cmdline", "rb") as handle:
                return b"enter.py" in handle.read() and os.stat(f"/proc/{self.pid}").st_uid == os.getuid()
        except OSError:
            return False

    def forget(self) -> None:
        for suffix in (places.KEY, places.SOCKET, places.LOG):
            try:
                os.unlink(self.path(suffix))
            except OSError:
                pass


def known(folder: str) -> list[Known]:
    return [Known(folder, name) for name in places.keys(folder)] if places.usable(folder) else []


def make_room(folder: str, most: int) -> None:
    """Before one more starts: end the least recently used, and sweep up after those that died."""
    living = []
    for server in known(folder):
        if server.alive():
            living.append(server)
        elif not server._is_server():
            server.forget()
    living.sort(key=Known.last_used)
    for server in living[: max(len(living) - most + 1, 0)]:
        server.end()
    for name in os.listdir(folder):
        # Locks and marks are named by a hash, which may be all digits too, and a lock is worth nothing once unlinked.
        stem, dot, suffix = name.partition(".")
        if dot + suffix in (places.KEY, places.LOCK, places.MARK):
            continue
        if stem.isdigit() and not os.path.exists(f"/proc/{stem}"):
            try:
                os.unlink(os.path.join(folder, name))
            except OSError:
                pass
