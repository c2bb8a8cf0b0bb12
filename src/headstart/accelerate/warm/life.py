"""A server's life: take the lock, import, hide, listen, leave. Started by `enter.py`."""

from __future__ import annotations

import fcntl
import gc
import os
import sys
import time
import traceback
import zlib

from ..packages import package_folders
from . import admin, contract, health, hugepages, learned, places, stdio
from .checks import Checks
from .freshness import Freshness, module_files, settings_files
from .graph import Graph
from .guard import Guard
from .output import Capture
from .preload import ALWAYS, Preload
from .processes import memory_bytes
from .refresh import REFRESHERS, hide_frozen
from .registered import Registrations
from .server import AGAIN, TOO_LARGE, Server
from .settings import Settings, without_own


def live(baseline: list[str], graph: Graph, registrations: Registrations, folder: str, mark: str) -> None:
    """Returns when the server is to end. A forked program leaves by an exception, of our own kind."""
    places.prepare(folder)
    log = _log(folder)
    try:
        why = _serve(baseline, graph, registrations, folder, log, mark)
    except Exception as error:
        os.write(log, traceback.format_exc().encode())
        why = f"{type(error).__name__}: {error}"
    if not os.fstat(log).st_size:
        _unlink(os.path.join(folder, f"{os.getpid()}{places.LOG}"))
    if why:
        # Leave word for launchers, so that they do not start one server after the other in vain.
        with open(mark, "w", encoding="utf-8") as handle:
            handle.write(why)


def _serve(
    baseline: list[str], graph: Graph, registrations: Registrations, folder: str, log: int, mark: str
) -> str:
    """Why it could not serve; empty when it has."""
    began = time.time_ns()
    stdio.remember()
    settings = Settings(os.environ, contract.terminal_of_session())
    learned.settle()
    without_own(os.environ)
    identity = contract.identity(contract.read_status(), settings.terminal)
    environ = repr(sorted(contract.keyed(os.environ, learned.load().names[learned.VARIABLE]).items()))
    if not _lock(folder, identity + os.fsencode(environ)):
        return ""
    admin.make_room(folder, settings.most_servers)
    output = Capture()
    preload = Preload(graph, registrations, output)
    preload.run(_wanted(settings), learned.load().modules if settings.preload is None else ())
    output.close(log)
    if preload.misbehaved:
        learned.add(learned.DROPPED, [preload.misbehaved.partition(":")[0].partition(".")[0]])
        _again(preload.misbehaved)
    if not preload.imported and settings.preload is None:
        return "none of the packages to import is installed"
    read = {name: value for name, value in preload.effects.reads.items() if name not in contract.HARMLESS}
    learned.add(learned.VARIABLE, [name for name in read if not learned.secret(name)])
    variables: dict[str, str | None] = {**read, **contract.keyed(dict(os.environ))}
    path = list(sys.path)
    if "tensorflow" in preload.imported:
        _prepare_caches()
    vault = preload.vault(baseline)
    origins = vault.origins()
    vault.refreshers = dict(REFRESHERS)
    vault.seconds = preload.seconds
    vault.watch = Guard(variables, {name: preload.effects.readers[name] for name in read}, path, origins)
    vault.prepare()
    freshness = Freshness(
        module_files(vault.hidden.values()),
        package_folders(),
        settings_files(preload.files, package_folders()),
        began,
    )
    gc.collect()
    gc.freeze()
    hide_frozen()
    hugepages.collapse()
    health.settle()
    trouble = health.fit_to_fork(vault.hidden) or freshness.trouble()
    if not trouble and memory_bytes() > settings.most_bytes:
        trouble = TOO_LARGE
    if trouble:
        return trouble
    checks = Checks(identity, variables, origins, freshness)
    key = contract.encode_key(identity, variables)
    # Again: what is learned in the meantime makes another first lock of the same environment.
    if not _lock(folder, key):
        return ""
    why = Server(folder, key, vault, path, checks, freshness, settings, preload).loop(
        lambda: _unlink(mark)  # no longer starting
    )
    if why == AGAIN:
        _again(why)
    return ""


def _prepare_caches() -> None:
    """What the caches of every program would load and look at."""
    from ..cache import prime

    try:
        prime()
    except Exception:  # then every program does it for itself
        pass


def _wanted(settings: Settings) -> tuple[str, ...]:
    if settings.preload is None:
        return ALWAYS
    return tuple(name for name in settings.preload.split(",") if name)


def _log(folder: str) -> int:
    path = os.path.join(folder, f"{os.getpid()}{places.LOG}")
    return os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _lock(folder: str, whose: bytes) -> bool:
    """One server a key: the second one to come finds this held, and leaves. Held as long as we live."""
    name = f"{zlib.crc32(whose):08x}{places.LOCK}"
    descriptor = os.open(os.path.join(folder, name), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _again(why: str) -> None:
    """What an import has done cannot be undone: begin anew, without that package."""
    print(f"starting again: {why}", file=sys.stderr, flush=True)
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
