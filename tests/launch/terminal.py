"""A terminal for tests: programs run in it as in a user's window, and its screen can be read back."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyte

from .program import environment

LIMIT_SECONDS = 60


class Terminal:
    """A pseudo terminal whose session leader does for one job what an interactive shell does: gives it a
    process group and the foreground, and waits for it to stop or end."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        env: Mapping[str, str | None] | None = None,
        rows: int = 24,
        columns: int = 80,
    ) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=5000)
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        self._news, news = os.pipe()
        orders, self._orders = os.pipe()
        self.leader, self.descriptor = pty.fork()
        if self.leader == 0:
            try:
                os.chdir(cwd)
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                full = environment({"TERM": "xterm-256color", **(env or {})})
                _be_a_shell(list(command), full, news, orders)
            finally:
                os._exit(1)
        os.close(news)
        os.close(orders)
        self.pid = int(self._next_news())

    def send(self, data: bytes) -> None:
        os.write(self.descriptor, data)

    def read_until(self, text: bytes, since: int = 0) -> None:
        """Read output until it contains the text."""
        while text not in self.output[since:]:
            if not self._read():
                raise AssertionError(f"the program ended before {text!r}; it wrote {self.output!r}")

    def wait_for_row(self, text: str) -> None:
        """Read output until a row of the screen contains the text."""
        while not any(text in row for row in self.rows):
            if not self._read():
                raise AssertionError(f"the program ended before {text!r} was shown; it wrote {self.output!r}")

    def finish(self) -> int:
        """Read to the end; returns the wait status of the job."""
        word, status = self._next_news().split()
        assert word == "ended", word
        os.write(self._orders, b"bye")
        while self._read():
            pass
        self._close()
        return int(status)

    def wait_stopped(self) -> int:
        """Wait until the job is stopped; returns the signal that stopped it."""
        word, number = self._next_news().split()
        assert word == "stopped", f"{word} {number}; it wrote {self.output!r}"
        return int(number)

    def resume(self) -> None:
        """`fg`."""
        os.write(self._orders, b"fg ")

    def hang_up(self) -> None:
        """Close the window; returns when the session's leader has gone."""
        self._close()

    def _close(self) -> None:
        os.close(self.descriptor)
        os.close(self._orders)
        os.close(self._news)
        os.waitpid(self.leader, 0)

    def _next_news(self) -> str:
        """The next line from the session's leader; output is read meanwhile."""
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._news, self.descriptor], [], [], LIMIT_SECONDS)
            assert ready, f"nothing for {LIMIT_SECONDS} s; so far {self.output!r}"
            if self.descriptor in ready:
                self._read()
            if self._news in ready:
                byte = os.read(self._news, 1)
                assert byte, f"the terminal's shell died; output {self.output!r}"
                line += byte
        return line.decode()

    @property
    def rows(self) -> list[str]:
        return [row.rstrip() for row in self.screen.display]

    @property
    def text(self) -> list[str]:
        """All rows that have something on them, those that scrolled away included."""
        gone = ["".join(row[x].data for x in range(self.screen.columns)) for row in self.screen.history.top]
        return [row.rstrip() for row in [*gone, *self.rows] if row.strip()]

    def _read(self) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], LIMIT_SECONDS)
        assert ready, f"nothing for {LIMIT_SECONDS} s; so far {self.output!r}"
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:  # EIO: the last process on the terminal has gone
            return False
        self.output += data
        self._stream.feed(data)
        return bool(data)


def _be_a_shell(command: list[str], env: dict[str, str], news: int, orders: int) -> None:
    """The session's leader: runs in the child of the fork and does not return."""
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvpe(command[0], command, env)
    os.write(news, f"{job}\n".encode())
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        status = os.waitpid(job, os.WUNTRACED)[1]
        if not os.WIFSTOPPED(status):
            os.write(news, f"ended {status}\n".encode())
            os.read(orders, 3)
            os._exit(0)
        os.tcsetpgrp(0, os.getpgrp())
        os.write(news, f"stopped {os.WSTOPSIG(status)}\n".encode())
        os.read(orders, 3)
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
