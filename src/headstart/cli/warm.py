"""`headstart warm`."""

from __future__ import annotations

import os
import sys

from ..errors import HeadstartError, UsageError
from .options import Option, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..accelerate.warm.admin import Known

OPTIONS = (Option("json", "print the facts as JSON", setting=False),)
WAIT_SECONDS = 120.0


def main(argv: list[str]) -> int:
    """Look after the warm interpreters that `headstart run` forks programs from.

    usage: headstart warm start         start one for this environment and terminal, and wait until it is ready
           headstart warm status        what runs: key, age, memory, runs served, seconds saved
           headstart warm stop [PID…]   stop all, or these

    They start by themselves at the first `headstart run`, and stop by themselves after 30 minutes without work
    (HEADSTART_WARM_IDLE_MINUTES), when their terminal closes or when a package changes.
    """
    values, words = parse(argv, OPTIONS)
    verb = words[0] if words else "status"
    if sys.platform != "linux":
        raise HeadstartError(f"there are no warm runs on {sys.platform}: programs run cold, and correctly")
    if verb == "start" and not words[1:]:
        return _start()
    if verb == "status" and not words[1:]:
        return _status(values.flag("json"))
    if verb == "stop":
        return _stop(words[1:])
    raise UsageError(f"headstart warm has start, status and stop, not {' '.join(words)!r}")


def _servers() -> list[Known]:
    from ..accelerate.warm import admin, places

    return [server for server in admin.known(places.folder(os.environ)) if server.alive()]


def _start() -> int:
    from ..accelerate.warm import starting

    server, seconds = starting.start_and_wait(WAIT_SECONDS)
    if seconds:
        print(f"started: {_line(server)}")
    else:
        print(f"running: {_line(server)}")
    return 0


def _status(as_json: bool) -> int:
    servers = _servers()
    if as_json:
        import json

        print(json.dumps([server.facts for server in servers], indent=2))
    elif not servers:
        print("no warm interpreter is running; the next `headstart run` starts one")
    for server in servers if not as_json else ():
        print(_line(server))
    return 0


def _line(server: Known) -> str:
    facts = server.facts
    memory = int(facts.get("memory_bytes", 0)) / (1 << 20)
    minutes = float(facts.get("age_seconds", 0)) / 60
    return (
        f"{server.name}: key {facts.get('key')}, {facts.get('executable')}, terminal {facts.get('terminal')}, "
        f"{minutes:.0f} min old, {memory:.0f} MB, {facts.get('runs')} runs served, "
        f"{facts.get('saved_seconds')} s saved"
    )


def _stop(names: list[str]) -> int:
    servers = _servers()
    unknown = set(names) - {server.name for server in servers}
    if unknown:
        raise HeadstartError(
            f"no such warm interpreter: {', '.join(sorted(unknown))} (see headstart warm status)"
        )
    chosen = [server for server in servers if not names or server.name in names]
    for server in chosen:
        server.end()
    print(f"stopped {len(chosen)}")
    return 0
