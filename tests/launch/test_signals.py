"""A signal sent to the launcher does what it does when sent to plain `python`."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .program import Outcome, Program, environment, script
from .runners import PYTHON, RUNNERS

# The program tells when its handlers are in place and, for what does not end it, what it received.
HANDLING = """
    import signal, sys, time
    seen = []
    def note(number, frame):
        seen.append(number)
    for number in map(int, sys.argv[1].split(",")):
        signal.signal(number, note)
    print("ready", flush=True)
    while not seen:
        time.sleep(0.005)
    print("seen", seen, flush=True)
    sys.stdin.readline()
    print("in all", seen, flush=True)
"""
DEFAULT = """
    import resource, sys, time
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.excepthook = lambda kind, *rest: print(kind.__name__)
    print("ready", flush=True)
    while True:
        time.sleep(0.01)
"""
NAMES = (
    "SIGINT",
    "SIGTERM",
    "SIGHUP",
    "SIGQUIT",
    "SIGUSR1",
    "SIGUSR2",
    "SIGALRM",
    "SIGABRT",
    "SIGVTALRM",
    "SIGPROF",
)
HANDLED_ONLY = ("SIGTSTP", "SIGWINCH", "SIGURG", "SIGIO", "SIGTTIN", "SIGTTOU")


class Job:
    """A program that has been started and is being talked to."""

    def __init__(self, program: Program, runner: tuple[str, ...], folder: Path, group: bool = False) -> None:
        program.lay_out(folder)
        self.process = subprocess.Popen(
            [*runner, *program.words],
            cwd=folder,
            env=environment(program.env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=group,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()

    def hear(self) -> None:
        assert self.process.stdout is not None
        self.said += self.process.stdout.readline()

    def end(self) -> Outcome:
        out, err = self.process.communicate(b"go\n", timeout=60)
        return Outcome(self.process.returncode, self.said + out, err)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("name", NAMES)
def test_default_action(name: str, runner: str, tmp_path: Path) -> None:
    program = script("default", DEFAULT)
    outcomes = []
    for command in (PYTHON, RUNNERS[runner]):
        job = Job(program, command, tmp_path / "x")
        job.process.send_signal(getattr(signal, name))
        outcomes.append(job.end())
    assert outcomes[0].status < 0
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("name", [*NAMES, *HANDLED_ONLY])
def test_handled(name: str, runner: str, tmp_path: Path) -> None:
    """The program's handler runs, once."""
    number = int(getattr(signal, name))
    program = script("handled", HANDLING, str(number))
    outcomes = []
    for command in (PYTHON, RUNNERS[runner]):
        job = Job(program, command, tmp_path / "x")
        job.process.send_signal(number)
        job.hear()
        outcomes.append(job.end())
    assert outcomes[0].stdout == f"ready\nseen [{number}]\nin all [{number}]\n".encode()
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_sent_to_the_group(name: str, runner: str, tmp_path: Path) -> None:
    """What is sent to the whole process group ends the program and the launcher the same way."""
    outcomes = []
    for command in (PYTHON, RUNNERS[runner]):
        job = Job(script("default", DEFAULT), command, tmp_path / "x", group=True)
        os.killpg(job.process.pid, getattr(signal, name))
        outcomes.append(job.end())
    assert outcomes[0].status == outcomes[1].status < 0


@pytest.mark.parametrize("runner", RUNNERS)
def test_killing_the_launcher_kills_the_program(runner: str, tmp_path: Path) -> None:
    """As with plain `python`: the pipe closes at once, nobody is left running."""
    source = "import os, time\nprint(os.getpid(), flush=True)\nwhile True:\n    time.sleep(0.01)"
    job = Job(script("alone", source), RUNNERS[runner], tmp_path / "x")
    child = int(job.said)
    job.process.kill()
    assert job.end() == Outcome(-signal.SIGKILL, job.said, b"")
    while _running(child):
        time.sleep(0.01)  # it is being torn down; a program that lives on runs into the test's time limit


@pytest.mark.parametrize("runner", RUNNERS)
def test_stopping_and_continuing_the_launcher(runner: str, tmp_path: Path) -> None:
    """`kill -TSTP` and `kill -CONT` of the launcher reach the program."""
    source = "import os\nprint(os.getpid(), flush=True)\nprint('got', input(), flush=True)"
    # A process group in a session that has a parent outside it: an orphaned one cannot be stopped like this.
    program = script("stop", source)
    program.lay_out(tmp_path / "x")
    process = subprocess.Popen(
        [*RUNNERS[runner], *program.words],
        cwd=tmp_path / "x",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: os.setpgid(0, 0),
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    process.send_signal(signal.SIGTSTP)
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    assert _state(child) == "T"
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(b"word\n", timeout=60)
    assert out == b"got word\n"
    assert process.returncode == 0


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _running(pid: int) -> bool:
    try:
        return _state(pid) not in "ZX"
    except FileNotFoundError:
        return False
