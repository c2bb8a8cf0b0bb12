"""Starts a warm server in the background, for the next run: detached from this one in everything but the
session, so that it can put programs where this one is."""

from __future__ import annotations

import os
import sys
import time

from . import contract, learned, places, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..program import Program

_HERE = os.path.dirname(os.path.abspath(__file__))
# Read at import by packages that are often there, and nobody's secret; others are learned. A server that was started
# without one that its imports read does not serve those who have it, and the next run would be cold once more.
_COMMON = [
    "PATH",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_RUNTIME_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "DISPLAY",
    "MPLBACKEND",
    "MPLCONFIGDIR",
    "CI",
    "HOSTNAME",
]
STARTING = "a server is starting"
STARTING_SECONDS = 60.0
FAILED_SECONDS = 600.0


def start(identity: bytes, environ: Mapping[str, str], program: Program | None) -> str:
    """Start a server for runs like this one. Says why not, if not."""
    folder = places.folder(environ)
    try:
        places.prepare(folder)
        wanted = environment(environ)
        mark = _mark(identity, environ)
        trouble = _recently(mark)
        if trouble:
            return trouble
        os.close(os.open(mark, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        _detached([sys.executable, os.path.join(_HERE, "enter.py"), folder, mark], wanted, program, environ)
    except OSError as error:
        return f"no server can be started: {error}"
    return ""


def _mark(identity: bytes, environ: Mapping[str, str]) -> str:
    return os.path.join(places.folder(environ), _tag(identity, environment(environ)) + places.MARK)


def forget(identity: bytes, environ: Mapping[str, str]) -> None:
    """Start anew even if the last start was a moment ago, or failed."""
    try:
        os.unlink(_mark(identity, environ))
    except OSError:
        pass


def failure(identity: bytes, environ: Mapping[str, str]) -> str:
    """What the server that was started last has failed of."""
    trouble = _recently(_mark(identity, environ))
    return "" if trouble == STARTING else trouble


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What a server is started with: nothing but what belongs to its key, and its own settings."""
    names = {*_COMMON, *learned.load().names[learned.VARIABLE]}
    chosen = contract.keyed(environ, [name for name in names if not learned.secret(name)])
    return chosen | {name: environ[name] for name in settings.NAMES if name in environ}


def _tag(identity: bytes, environ: Mapping[str, str]) -> str:
    import zlib

    text = identity + repr(sorted(environ.items())).encode("utf-8", "surrogateescape")
    return f"{zlib.crc32(text):08x}"


def _recently(mark: str) -> str:
    """Whether one was started a moment ago, or could not be started the last time."""
    try:
        age = time.time() - os.stat(mark).st_mtime
        with open(mark, encoding="utf-8", errors="replace") as handle:
            why = handle.read(500)
    except OSError:
        return ""
    if why and age < FAILED_SECONDS:
        return f"no server could be started: {why}"
    return STARTING if not why and age < STARTING_SECONDS else ""


def _detached(
    command: list[str], wanted: dict[str, str], program: Program | None, given: Mapping[str, str]
) -> None:
    """By way of a child that ends at once: the program must find no child that it did not start."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        if os.fork():
            os._exit(0)
        _become(command, wanted, program, given)
    except BaseException:
        pass
    finally:
        os._exit(1)


def _become(
    command: list[str], wanted: dict[str, str], program: Program | None, given: Mapping[str, str]
) -> None:
    import _signal  # type: ignore[import-not-found]

    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.closerange(3, max(int(name) for name in os.listdir("/proc/self/fd")) + 1)
    if program is not None:
        from .checks import foresee

        # A program that sets import-time variables needs a server that was started with them.
        wanted = contract.changed(wanted, foresee(program, dict(given), contract.matters))
    for number in _signal.valid_signals():
        if number not in (_signal.SIGKILL, _signal.SIGSTOP):
            _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    os.chdir("/")
    os.umask(0o077)
    os.execve(command[0], command, wanted)
