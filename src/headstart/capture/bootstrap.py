"""Starts the capture in this process: once, early, and without anyone noticing.

Called by `inject/sitecustomize.py` in a launched process, by the warm interpreter in a forked one, and by
`headstart.profile()` in a program that is already running.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from .._version import __version__
from ..record.format import CONFIG_VARIABLE, HEADER_KEY, RECORD_VERSION
from . import children, hooks, shutdown
from .bus import Bus, now
from .sink import Sink, encode

active: Bus | None = None
"""The bus of this process, while it is being recorded."""
_installed: Bus | None = None
"""The bus that the probes hold. They stay in place when recording stops, and serve the next recording."""


def start_from_environment(text: str) -> None:
    """`text` is the launcher's JSON; parsed here since the `json` package may stay unloaded."""
    config = parse_config(text)
    origin = "launch" if config.pop("launched", None) is None else "spawn"
    start(config, origin=origin)


class _Json:
    """What `_json` asks of a decoder: the `json` package itself is the program's to load, and to pay for."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float
    memo: dict[str, str] = {}  # noqa: RUF012


def parse_config(text: str) -> dict[str, Any]:
    from _json import make_scanner

    config, _ = make_scanner(_Json)(text, 0)  # type: ignore[arg-type]
    if not isinstance(config, dict):
        raise ValueError("the capture's configuration is not an object")
    return config


def start(config: dict[str, Any], origin: str = "launch") -> Bus:
    """Open the record and install the probes. Returns the bus; a second call returns the first bus."""
    global active, _installed
    if active is not None:
        return active
    boot_ns = now()
    path = config["record"]
    if origin == "spawn":
        # A child of the recorded process: it has a record of its own, named after its parent's.
        path = f"{path}.{os.getpid()}"
    bus = open_bus(config, path, origin, boot_ns)
    if _installed is not None:
        bus = _installed.take_over(bus)
    active = bus
    if _installed is None:
        _installed = bus
        children.install(bus, config)
        shutdown.install(bus, stop)
    hooks.install(bus)
    bus.own_ns += now() - boot_ns
    return bus


def open_bus(config: dict[str, Any], path: str, origin: str, boot_ns: int) -> Bus:
    start_ns = config.get("start_ns") if origin in ("launch", "warm") else None
    if start_ns is None:
        start_ns = process_start_ns() if origin == "spawn" else boot_ns
    from _thread import get_ident

    header = {
        HEADER_KEY: RECORD_VERSION,
        "headstart": __version__,
        "run": config.get("run", ""),
        "pid": os.getpid(),
        "ppid": os.getppid(),
        # At site time sys.argv is not set yet; the interpreter's own command line always is.
        "argv": list(config.get("argv") or sys.orig_argv[1:]),
        "executable": sys.executable or "",
        "python": sys.version.split()[0],
        "start_ns": min(start_ns, boot_ns),
        "boot_ns": boot_ns,
        "unix_ns": time.time_ns(),
        "main_tid": get_ident(),
        "origin": origin,
        "parent_record": config["record"] if origin in ("fork", "spawn") else None,
        "rank": config.get("rank") or rank(),
    }
    return Bus(Sink(path, header), header["start_ns"])


def rank() -> str | None:
    """Which of several cooperating processes this is, where the environment says so."""
    for variable in ("TF_CONFIG_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
        value = os.environ.get(variable)
        if value and value.isdigit():
            return value
    config = os.environ.get("TF_CONFIG", "")
    if '"index"' in config:
        digits = "".join(c for c in config.split('"index"', 1)[1].lstrip(': "')[:6] if c.isdigit())
        return digits or None
    return None


def process_start_ns() -> int:
    """When this process began, on the monotonic clock, as the kernel says (10 ms grain)."""
    try:
        with open("/proc/self/stat", "rb") as handle:
            ticks = int(handle.read().rsplit(b")", 1)[1].split()[19])
        boot_offset = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - now()
        return int(ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")) - boot_offset
    except (OSError, ValueError, IndexError, AttributeError):
        return now()


def stop() -> None:
    """Write what is left and close the record in good order."""
    global active
    bus, active = active, None
    if bus is None:
        return
    # What was never needed is not loaded now: an import in these last moments would pass the program's hooks.
    sampler = sys.modules.get(f"{__package__}.sampler")
    splice_cache = sys.modules.get(f"{__package__}.splice_cache")
    for close in bus.at_close:
        try:
            close()
        except Exception:
            pass
    cost = sampler.stop(bus) if sampler else {}
    bus.sink.buffered = False
    hooks.close(bus)
    if splice_cache:
        splice_cache.cache.save()
    bus.put(("z", now(), {"spans": bus.spans, "own_ns": bus.own_ns, "span_ns": _span_cost(bus), **cost}))
    bus.sink.close()


def _span_cost(bus: Bus) -> int:
    """What one span costs the program's thread, measured here and now (nanoseconds)."""
    from _collections import deque  # type: ignore[import-not-found]

    probe = Bus.__new__(Bus)
    probe.main, probe.stack, probe.spans = bus.main, [], 0
    queue: Any = deque(maxlen=4)
    probe.put = queue.append
    rounds = 200
    t0 = now()
    for _ in range(rounds):
        probe.end(probe.begin("import", "calibration"))
    per_span = (now() - t0) // rounds
    t0 = now()
    for _ in range(50):
        encode(("s", t0, t0, 0, "import", "calibration.of.an.ordinary.name", None))
    return int(per_span + (now() - t0) // 50)


def child_config(config: dict[str, Any]) -> str:
    """What a child Python of this process is handed, in `CONFIG_VARIABLE`."""
    return encode({"record": config["record"], "run": config.get("run", ""), "launched": 1})


__all__ = ["CONFIG_VARIABLE", "active", "start", "start_from_environment", "stop"]
