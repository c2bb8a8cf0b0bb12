"""What is remembered of a program's last run, for the live line of the next."""

from __future__ import annotations

import hashlib
import json
import os

from .doing import phrase
from .places import cache_folder
from .target import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WORTH_SECONDS = 0.5
KEPT_PROGRAMS = 500


def recall(target: Target) -> dict[str, float]:
    """Seconds by phrase; "" is the time to the first step. Empty for an unknown program."""
    try:
        with open(_path(target), encoding="utf-8") as handle:
            found = json.load(handle)
        return {str(what): float(seconds) for what, seconds in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def remember(target: Target, spans: Iterable[tuple[str, str, float]], first_step: float | None) -> None:
    """Keep how long each thing took: `spans` are (kind, name, seconds) of the main thread."""
    seconds: dict[str, float] = {"": first_step} if first_step else {}
    for kind, name, took in spans:
        if took >= WORTH_SECONDS:
            what = phrase(kind, name)
            seconds[what] = max(took, seconds.get(what, 0.0))
    path = _path(target)
    scratch = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(scratch, "w", encoding="utf-8") as handle:
            json.dump({what: round(took, 3) for what, took in seconds.items()}, handle)
        os.replace(scratch, path)
        _forget(os.path.dirname(path))
    except OSError:
        pass  # only a convenience


def _path(target: Target) -> str:
    where = os.path.realpath(target.name) if target.kind == "script" else f"{os.getcwd()}\0{target.name}"
    key = hashlib.sha256(f"{target.kind}\0{where}".encode(errors="surrogateescape")).hexdigest()[:32]
    return os.path.join(cache_folder(), "last", f"{key}.json")


def _forget(folder: str) -> None:
    names = os.listdir(folder)
    if len(names) <= KEPT_PROGRAMS:
        return
    paths = sorted((os.path.join(folder, name) for name in names), key=os.path.getmtime)
    for path in paths[:-KEPT_PROGRAMS]:
        os.unlink(path)
