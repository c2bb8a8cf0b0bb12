"""Makes the forked process a fresh one: everything that a program inherits or can read about itself becomes
that of the caller, and nothing of the server's stays."""

from __future__ import annotations

import atexit
import os
import resource
import signal
import sys
import time

from .. import activate
from ..stage import Stage
from . import appearance, descriptors, environ, learned, recording, stdio
from .request import Request
from .vault import Vault

_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
CHANGED_BY_SERVER = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


def inherit(request: Request) -> None:
    """Take over the caller's state. May fail, and then nothing of the program has run."""
    os.chdir(request.cwd)
    os.umask(request.umask)
    for number, (soft, hard) in request.limits.items():
        if resource.getrlimit(number) != (soft, hard):
            resource.setrlimit(number, (soft, hard))
    if os.getpriority(os.PRIO_PROCESS, 0) != request.nice:
        os.setpriority(os.PRIO_PROCESS, 0, request.nice)
    environ.replace(request.environ)
    time.tzset()
    words = [sys.executable, *request.program.words]
    appearance.show([os.fsencode(word) for word in words], request.environ)


def dispositions(request: Request) -> None:
    """Signal handling as the interpreter sets it up from what it inherits."""
    for number in signal.valid_signals():
        ignored = bool(request.ignored >> (number - 1) & 1) or number in _IGNORED_BY_PYTHON
        if ignored == (signal.getsignal(number) is signal.SIG_IGN) and number not in CHANGED_BY_SERVER:
            continue  # as the interpreter set it up: a handler of faulthandler's, perhaps
        if number == signal.SIGINT and not ignored:
            signal.signal(number, signal.default_int_handler)
        else:
            signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)
    blocked = {number for number in signal.valid_signals() if request.blocked >> (number - 1) & 1}
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def become(request: Request, vault: Vault, path: list[str], line: int, launcher: int) -> None:
    """Become the program. `line` leads to the process that watches over us: it hears when all that may fail is
    done, and says when to start. Unwinds all frames, so it does not return."""
    try:
        line = descriptors.place(request.descriptors, line)
        inherit(request)
        appearance.adopt(launcher)
        stdio.rebuild()
        stage = Stage(request.program, path, lambda: _open(request, vault, stage))
        stage.leave_early = True
        os.write(line, b"R")
    except Exception as error:
        os.write(line, f"{type(error).__name__}: {error}".encode()[:4000])
        os._exit(1)
    if os.read(line, 1) != b"G":
        os._exit(1)
    os.close(line)
    vault.watch.begin(request.environ, request.program)
    vault.open()
    stage.perform()


def _open(request: Request, vault: Vault, stage: Stage) -> None:
    """The last of ours before the program's first line; our frames are gone."""
    atexit.register(lambda: _leave(vault, stage))  # first registered, last run
    activate.activate({**request.options, "warm": f"{vault.seconds:.3f}"})
    vault.listeners.append(activate.arrived)
    if "capture" in request.options:
        recording.start(request.options["capture"], vault)
    dispositions(request)


def _leave(vault: Vault, stage: Stage) -> None:
    """The program is over, and so are its own atexit functions."""
    learned.learn(vault.missed(), exactly=True)
    vault.close(stage.interrupted)
