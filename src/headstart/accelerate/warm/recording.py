"""`headstart profile --warm`: the capture, started in a forked program; and the launcher's side of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...launch.ending import Ending
    from ...launch.target import Target
    from .vault import Vault


def start(config: str, vault: Vault) -> None:
    """In the program: record it from here on. A broken capture must never break the program."""
    try:
        from ...capture import bootstrap, hooks

        bus = bootstrap.start(bootstrap.parse_config(config), origin="warm")
        # All modules of a package arrive at once: the probes that wait for them are told.
        vault.listeners.append(lambda names: hooks.arrived(bus, names))
    except Exception:
        pass


def launch_warm(target: Target, record: str, run: str) -> tuple[Ending | None, str]:
    """Run the target warm and recorded; how it ended, or None and why it has not been started."""
    import json
    import os
    import sys
    import time

    from ...launch.ending import Ending
    from ...launch.trailer import close_record
    from ..program import program_of
    from .client import Attempt

    start_ns = time.monotonic_ns()
    argv = [sys.executable, *target.words]
    config = {"record": os.path.abspath(record), "start_ns": start_ns, "run": run, "argv": argv[1:]}
    attempt = Attempt(program_of(target.kind, target.name, target.words), {"capture": json.dumps(config)})
    status = attempt.run()
    if status is None:
        return None, attempt.why
    wait_status = -status if status < 0 else status << 8
    ending = Ending(wait_status, start_ns, time.monotonic_ns(), attempt.maxrss_kb)
    close_record(record, run, argv, attempt.pid, ending)
    return ending, ""
