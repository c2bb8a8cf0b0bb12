"""A process that waits to become a program: forked ahead of time, so that nobody has to wait for the fork.

It accepts one connection and reads the request: nothing that a client sends can harm anything but this process.
"""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable
from typing import NoReturn

from . import birth
from .checks import Checks, Declined, Elsewhere
from .monitor import ANSWERED, BAD, PATIENCE_SECONDS, REFUSED
from .processes import credentials, die_with_parent, join_group
from .protocol import DECLINED, ELSEWHERE, INFO, BadMessage, encode_frame
from .request import receive
from .vault import Vault


class Candidate:
    """Serves one connection, by answering it or by becoming the program that it asks for."""

    def __init__(self, vault: Vault, path: list[str], checks: Checks, answer: Callable[[bytes], str]) -> None:
        self._vault = vault
        self._path = path
        self._checks = checks
        self._answer = answer
        """What to say to a request that is not for a run."""

    def wait(
        self, listener: socket.socket, line: socket.socket, watcher: int, taken: Callable[[], object]
    ) -> None:
        """In a process of its own. Only the program comes out of here, by an exception."""
        die_with_parent(watcher)
        self._vault.lend()
        self._line = line
        connection = self._accept(listener)
        taken()
        if credentials(connection)[1] != os.getuid():
            self._leave(BAD)
        self._sock = connection
        connection.settimeout(PATIENCE_SECONDS)
        try:
            request = receive(connection)
            if request.verb != b"run":
                self._say(INFO, 0, self._answer(request.verb))
                self._leave(ANSWERED)
            self._checks.run(request)
            caller = self._introduce()
        except Declined as error:
            self._say(DECLINED, int(error.lasting), str(error))
            self._leave(REFUSED)
        except Elsewhere as other:
            words = [name if value is None else f"{name}={value}" for name, value in other.changes.items()]
            self._say(ELSEWHERE, 0, "\0".join(words))
            self._leave(REFUSED)
        except (BadMessage, OSError, ValueError) as error:
            self._say(DECLINED, 0, f"bad request: {error}")
            self._leave(BAD)
        birth.become(request, self._vault, self._path, line.fileno(), caller)

    def _accept(self, listener: socket.socket) -> socket.socket:
        while True:
            select.select([listener], [], [])
            try:
                return listener.accept()[0]
            except OSError:
                pass  # another one was faster, or the client has gone again

    def _introduce(self) -> int:
        """Take the caller's place in the system, and leave the connection to the monitor."""
        caller = credentials(self._sock)[0]
        join_group(caller)
        socket.send_fds(self._line, [b"%d" % caller], [self._sock.fileno()])
        return caller

    def _say(self, kind: bytes, number: int, text: str) -> None:
        try:
            self._sock.sendall(encode_frame(kind, number, text))
        except OSError:
            pass

    def _leave(self, status: int) -> NoReturn:
        self._line.send(b"%d" % status)
        os._exit(0)
