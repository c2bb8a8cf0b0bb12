"""A process in the launcher's group whose only purpose is to be hit: a signal that reaches it as well as the
launcher was sent to the whole group.

Needed where the program is in another session than the launcher, so that group signals do not reach it: the
launcher then has them sent to the program's group, as it has sent to the program what it alone was sent.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import os
import select

from .client import RING, ring_on_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_MOMENT_SECONDS = 0.02


class Canary:
    """Made by the launcher when it has let go of all that is the program's."""

    def __init__(self, watched: Any) -> None:
        self._read, write = os.pipe()
        life, self._life = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            self._sing(write, life, watched)
        os.close(write)
        os.close(life)
        os.set_blocking(self._read, False)
        self._felt: list[int] = []

    def _sing(self, write: int, life: int, watched: Any) -> NoReturn:
        """Report what hits us, until the launcher is gone."""
        try:
            for number in sorted(int(name) for name in os.listdir("/proc/self/fd")):
                if number > 2 and number not in (write, life):
                    os.closerange(number, number + 1)
            os.set_blocking(write, False)
            ring_on_input(life)
            while select.select([life], [], [], 0)[0] == []:
                info = signal.sigwaitinfo(watched)
                if info.si_code <= 0 and info.si_signo != RING:
                    os.write(write, bytes((info.si_signo,)))
        finally:
            os._exit(0)

    def felt(self, number: int) -> bool:
        """Whether this signal, which the launcher has got, was for the whole group."""
        if number not in self._felt:
            select.select([self._read], [], [], _MOMENT_SECONDS)
            try:
                self._felt += os.read(self._read, 100)
            except BlockingIOError:
                pass
        if number not in self._felt:
            return False
        self._felt.remove(number)
        return True

    def end(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
