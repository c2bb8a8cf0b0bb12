"""What the caches have done over all runs:

one line per process, and the decisions of the last run of each program.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ledger as says
from .ledger import Ledger

_FILE = "usage.jsonl"
_LAST = "last"
_MAX_BYTES = 4 << 20


@dataclass(frozen=True)
class Totals:
    """Added up over all processes on record."""

    runs: int
    replayed: int
    saved_seconds: float
    uses: dict[str, int]


def write(root: Path, program: str, ledger: Ledger) -> None:
    """At the end of a process. Whatever goes wrong, the program does not hear of it."""
    if not ledger.events:
        return
    replayed = [event.key for event in ledger.events if event.what == says.REPLAYED]
    line = {
        "time": round(time.time(), 1),
        "program": program,
        "replayed": replayed[:64],
        "saved_seconds": round(ledger.saved_seconds(), 3),
    }
    try:
        _append(root / _FILE, line)
        _replace(_last_path(root, program), {**ledger.as_json(), "program": program, "time": line["time"]})
    except OSError:
        pass


def _append(path: Path, line: dict[str, Any]) -> None:
    if path.exists() and path.stat().st_size > _MAX_BYTES:
        os.replace(path, path.with_suffix(".old"))
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, (json.dumps(line) + "\n").encode())
    finally:
        os.close(descriptor)


def _replace(path: Path, content: dict[str, Any]) -> None:
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}")
    partial.write_text(json.dumps(content))
    os.replace(partial, path)


def _last_path(root: Path, program: str) -> Path:
    name = hashlib.sha256(os.path.abspath(program).encode()).hexdigest()[:32]
    return root / _LAST / f"{name}.json"


def totals(root: Path) -> Totals:
    """Lines that cannot be read are left out."""
    runs, saved, uses = 0, 0.0, dict[str, int]()
    for name in (_FILE, Path(_FILE).with_suffix(".old").name):
        try:
            lines = (root / name).read_text().splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            try:
                content = json.loads(line)
                saved += float(content["saved_seconds"])
                for key in content["replayed"]:
                    uses[str(key)] = uses.get(str(key), 0) + 1
                runs += 1
            except (ValueError, KeyError, TypeError):
                continue
    return Totals(runs, sum(uses.values()), saved, uses)


def last(root: Path, program: str | None = None) -> dict[str, Any] | None:
    """What the last run of a program decided; of any program, when none is named."""
    try:
        if program is not None:
            path = _last_path(root, program)
        else:
            path = max((root / _LAST).glob("*.json"), key=lambda found: found.stat().st_mtime)
        found: dict[str, Any] = json.loads(path.read_text())
        return found
    except (OSError, ValueError):
        return None
