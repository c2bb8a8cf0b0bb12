"""On a terminal a program behaves under headstart as under plain `python`: prompts, keys, job control."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from .program import Program, script
from .runners import PYTHON, RUNNERS
from .terminal import Terminal

Conversation = Callable[[Terminal], None]
CTRL_C, CTRL_D, CTRL_Z, CTRL_BACKSLASH = b"\x03", b"\x04", b"\x1a", b"\x1c"


def talk(*turns: bytes) -> Conversation:
    """Wait for a text, type the next, and so on."""

    def speak(terminal: Terminal) -> None:
        heard = 0
        for text, answer in zip(turns[::2], turns[1::2], strict=True):
            terminal.read_until(text, heard)
            heard = len(terminal.output)
            terminal.send(answer)

    return speak


def stop_while_reading(terminal: Terminal) -> None:
    """Stopped while it reads, the program reads on after `fg`."""
    terminal.read_until(b"ready\r\n")
    terminal.send(CTRL_Z)
    assert terminal.wait_stopped() == signal.SIGTSTP
    terminal.resume()
    terminal.send(b"word\n")
    terminal.read_until(b"again word")


def stop_twice(terminal: Terminal) -> None:
    for _ in range(2):
        assert terminal.wait_stopped() == signal.SIGSTOP
        terminal.resume()


NO_CORE = "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
COUNT = """
    import signal, time
    seen = []
    signal.signal({0}, lambda *a: seen.append(1))
    print("ready", flush=True)
    while not seen:
        time.sleep(0.01)
    print("seen", len(seen))
    print(len(seen), input("more? "))
"""
# Where in the wait the key comes in is chance, so the place is kept out of what is compared.
QUIET_HOOK = "import sys\nsys.excepthook = lambda kind, *rest: print(kind.__name__)\n"
WAIT = "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(0.01)\n"
HANDLED = """
    import time
    try:
        print("ready", flush=True)
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        print(input("caught "))
"""
TABLE: list[tuple[Program, Conversation]] = [
    (script("input", "print('hello', input('name? '))"), talk(b"name? ", b"Ada\n")),
    (script("input-twice", "print(input('a? ') + input('b? '))"), talk(b"a? ", b"1\n", b"b? ", b"2\n")),
    (script("input-readline", "import readline\nprint(input('name? '))"), talk(b"name? ", b"Adx\x7fa\n")),
    (script("end-of-file", "print(input('name? '))"), talk(b"name? ", CTRL_D)),
    (script("getpass", "import getpass\nprint(len(getpass.getpass()))"), talk(b"assword: ", b"secret\n")),
    (
        script(
            "terminal",
            "import os, sys, shutil\nprint([os.isatty(n) for n in (0, 1, 2)], os.get_terminal_size(), "
            "shutil.get_terminal_size(), os.ttyname(0) == os.ttyname(1), os.tcgetpgrp(0) == os.getpgrp(), "
            "sys.stdin.line_buffering, sys.stdout.line_buffering, sys.stderr.line_buffering, "
            "os.open('/dev/tty', os.O_RDWR) > 2)",
        ),
        talk(),
    ),
    (script("interrupt", QUIET_HOOK + WAIT), talk(b"ready\r\n", CTRL_C)),
    (
        script("interrupt-handled", HANDLED),
        talk(b"ready\r\n", CTRL_C, b"caught ", b"x\n"),
    ),
    (script("interrupt-counted", COUNT.format(2)), talk(b"ready\r\n", CTRL_C, b"more? ", b"x\n")),
    (script("stop-counted", COUNT.format(20)), talk(b"ready\r\n", CTRL_Z, b"more? ", b"x\n")),
    (script("quit", NO_CORE + "input('ready')"), talk(b"ready", CTRL_BACKSLASH)),
    (script("stop", "print('ready', flush=True)\nprint('again', input(), flush=True)"), stop_while_reading),
    (
        script(
            "stop-self",
            "import os, signal\nfor _ in range(2):\n    os.kill(os.getpid(), signal.SIGSTOP)\nprint(1)",
        ),
        stop_twice,
    ),
    (script("traceback", "1 / 0"), talk()),
    (
        script("progress", "import sys\nfor i in range(50):\n    sys.stdout.write(f'\\r{i} of 50')\nprint()"),
        talk(),
    ),
    (script("colours", "print('\\x1b[31mred\\x1b[0m \\x1b[2J\\x1b[H top left')"), talk()),
]


def outcome(
    program: Program, runner: tuple[str, ...], speak: Conversation, folder: Path
) -> tuple[int, list[str]]:
    program.lay_out(folder)
    terminal = Terminal([*runner, *program.words], folder)
    speak(terminal)
    return terminal.finish(), terminal.rows


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(("program", "speak"), TABLE, ids=[p.name for p, _ in TABLE])
def test_like_plain_python(program: Program, speak: Conversation, runner: str, tmp_path: Path) -> None:
    expected = outcome(program, PYTHON, speak, tmp_path / "x")
    assert outcome(program, RUNNERS[runner], speak, tmp_path / "x") == expected


@pytest.mark.parametrize("runner", RUNNERS)
def test_hang_up_ends_the_program(runner: str, tmp_path: Path) -> None:
    """Closing the window ends the program, as it ends plain `python`, and it can say goodbye."""
    source = """
        import os, signal, sys
        def leave(number, frame):
            with open("goodbye.part", "w") as handle:
                handle.write(str(number))
            os.rename("goodbye.part", "goodbye")
            sys.exit(0)
        signal.signal(signal.SIGHUP, leave)
        print("ready", flush=True)
        while True:
            signal.pause()
    """
    program = script("hold", source)
    for command in (PYTHON, RUNNERS[runner]):
        program.lay_out(tmp_path / "x")
        terminal = Terminal([*command, *program.words], tmp_path / "x")
        terminal.read_until(b"ready\r\n")
        terminal.hang_up()
        while not (tmp_path / "x" / "goodbye").exists():
            signal.sigtimedwait([], 0.02)
        assert (tmp_path / "x" / "goodbye").read_text() == "1"
