"""Every run of a lab is written down as it is made, so that an interrupted lab can go on where it stopped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..launch.places import cache_folder
from .ledger import LedgerCheck

KEPT_RESULTS = 50


def lab_folder() -> Path:
    return Path(cache_folder()) / "lab"


class Session:
    """The runs of one lab: a file of JSON lines, the first of which says where and how they were made."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        self.header = header
        self.runs: dict[str, list[dict[str, Any]]] = {}
        """By the arm's key."""
        self.checks: dict[str, LedgerCheck] = {}
        """By the claim's id."""

    def add_run(self, key: str, notes: dict[str, Any]) -> None:
        self.runs.setdefault(key, []).append(notes)
        self._append({"arm": key, "notes": notes})

    def add_check(self, claim: str, check: LedgerCheck) -> None:
        import msgspec

        self.checks[claim] = check
        self._append({"claim": claim, "check": msgspec.to_builtins(check)})

    def end(self) -> None:
        """The lab is through: nothing to go on with."""
        self.path.unlink(missing_ok=True)

    def _append(self, line: dict[str, Any]) -> None:
        # One line is one write of an open-append-close: a lab that is killed loses at most the run it was in.
        with open(self.path, "a", encoding="utf-8") as handle:
            handle.write(json.dumps(line) + "\n")


def begin(mode: str, header: dict[str, Any]) -> Session:
    """A new session; an old one of the same mode is forgotten."""
    folder = lab_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    session = Session(folder / f"session-{mode}.jsonl", header)
    session.path.write_text(json.dumps(header) + "\n", encoding="utf-8")
    return session


def resume(mode: str, header: dict[str, Any]) -> Session | None:
    """The interrupted session of this mode, if it was made by the same headstart on the same machine."""
    import msgspec

    path = lab_folder() / f"session-{mode}.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    items = []
    for text in lines:
        try:
            items.append(json.loads(text))
        except ValueError:
            continue  # the line that was being written when the lab was killed
    if not items or items[0].get("environment") != header["environment"]:
        return None
    session = Session(path, items[0])
    for item in items[1:]:
        if "arm" in item:
            session.runs.setdefault(item["arm"], []).append(item["notes"])
        elif "check" in item:
            session.checks[item["claim"]] = msgspec.convert(item["check"], LedgerCheck)
    return session


def keep(data: bytes, name: str) -> Path:
    """Keep a result beside those of earlier labs."""
    folder = lab_folder() / "results"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{name}.json"
    scratch = path.with_suffix(f".{os.getpid()}.tmp")
    scratch.write_bytes(data)
    scratch.replace(path)
    for old in sorted(folder.glob("*.json"))[:-KEPT_RESULTS]:
        old.unlink(missing_ok=True)
    return path


def last_durations() -> dict[str, float]:
    """How long each claim took in the latest result of each mode, as `mode/id`: for the time that is left."""
    found: dict[str, float] = {}
    for path in sorted((lab_folder() / "results").glob("*.json")):
        try:
            result = json.loads(path.read_bytes())
            found.update({f"{result['lab']}/{claim['id']}": claim["seconds"] for claim in result["claims"]})
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found
