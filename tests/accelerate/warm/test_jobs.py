"""Job control in a real shell on a real terminal, with a server in its session: every program here runs warm."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.launch.terminal import Terminal

from .conftest import HEADSTART, SMALL

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

HOLD = "import signal\nprint('re' + 'ady', flush=True)\nsignal.pause()\n"
# Real-time signals: each one is kept and counted, where two of another kind may become one, and they come in the order
# of their numbers. So by the last one everything has arrived that was passed on before it.
COUNT = """
import signal
again, last = signal.SIGRTMIN + 1, signal.SIGRTMIN + 2
signal.pthread_sigmask(signal.SIG_BLOCK, [again, last])
print("re" + "ady", flush=True)
seen = 0
while signal.sigwait([again, last]) == again:
    seen += 1
print("se" + "en", seen, flush=True)
"""
READ = "print('re' + 'ady', flush=True)\nprint('go' + 't', input(), flush=True)\n"
PLACE = "import os\nprint('sa' + 'me', os.tcgetpgrp(0) == os.getpgrp(), os.open('/dev/tty', os.O_RDWR) > 2, flush=True)\n"
PROGRAMS = {"hold": HOLD, "count": COUNT, "read": READ, "where": PLACE}


class Shell:
    """An interactive bash in a terminal of its own, with a small warm server in its session."""

    def __init__(self, folder: Path) -> None:
        for name, text in PROGRAMS.items():
            (folder / f"{name}.py").write_text(text)
        env = {"HEADSTART_CACHE_DIR": str(folder / "cache"), "PS1": "$ ", "HISTFILE": "/dev/null"}
        self.terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], folder, env, columns=200)
        self.type(f"HEADSTART_WARM_PRELOAD={SMALL} {HEADSTART} warm start; echo up$?")
        self.terminal.read_until(b"up0")

    def type(self, line: str) -> None:
        self.mark = len(self.terminal.output)
        self.terminal.send(line.encode() + b"\n")

    def see(self, text: str) -> None:
        self.terminal.read_until(text.encode(), self.mark)

    def close(self) -> None:
        self.type(f"{HEADSTART} warm stop; exit")
        self.terminal.finish()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


RUN = f"{HEADSTART} run --only-warm"


def test_is_where_the_caller_is(shell: Shell) -> None:
    shell.type(f"{RUN} where.py")
    shell.see("same True True")
    shell.close()


def test_interrupt(shell: Shell) -> None:
    shell.type(f"{RUN} hold.py")
    shell.see("ready")
    shell.terminal.send(b"\x03")
    shell.see("KeyboardInterrupt")
    shell.type("echo status $?")  # bash gives up the rest of a line whose program was interrupted
    shell.see("status 130")
    shell.close()


def reads_on_in_the_foreground(shell: Shell) -> None:
    shell.see("Stopped")
    shell.type("fg")
    shell.see("read.py")
    shell.terminal.send(b"word\n")
    shell.see("got word")
    shell.close()


def test_stop_and_foreground(shell: Shell) -> None:
    shell.type(f"{RUN} read.py")
    shell.see("ready")
    shell.terminal.send(b"\x1a")
    reads_on_in_the_foreground(shell)


def test_background_read_stops_the_job(shell: Shell) -> None:
    """A job in the background that reads the terminal is stopped, and reads on in the foreground."""
    shell.type(f"{RUN} read.py &")
    shell.see("ready")
    shell.type("wait %1; jobs")
    reads_on_in_the_foreground(shell)


def test_killing_the_job_reaches_the_program_once(shell: Shell) -> None:
    """`kill %1` sends to the whole group: the program must not hear of it a second time from the launcher."""
    shell.type(f"{RUN} count.py &")
    shell.see("ready")
    shell.type("kill -RTMIN+1 %1; kill -RTMIN+2 $!; wait")
    shell.see("seen 1")
    shell.close()


def test_killing_the_launcher_reaches_the_program_once(shell: Shell) -> None:
    shell.type(f"{RUN} count.py &")
    shell.see("ready")
    shell.type("kill -RTMIN+1 $!; kill -RTMIN+2 $!; wait")
    shell.see("seen 1")
    shell.close()


def test_nohup(shell: Shell) -> None:
    shell.type(
        f"nohup {RUN} -c \"import signal; print(signal.getsignal(1) == signal.SIG_IGN, 'out')\" > o.txt 2>&1; cat o.txt"
    )
    shell.see("True out")
    shell.close()


def test_server_leaves_with_its_terminal(shell: Shell, tmp_path: Path) -> None:
    from .conftest import Place, wait_until

    place = Place(tmp_path / "cache")
    assert place.processes()
    shell.type("exit")
    shell.terminal.finish()
    wait_until(lambda: not place.processes())
