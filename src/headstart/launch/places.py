"""Where headstart keeps what it knows of earlier runs."""

from __future__ import annotations

import os
import sys

from ..record.format import SUFFIX

KEPT_RUNS = 20


def cache_folder() -> str:
    """HEADSTART_CACHE_DIR, else the user's cache folder."""
    chosen = os.environ.get("HEADSTART_CACHE_DIR")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/headstart")
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.cache")
    return os.path.join(base, "headstart")


def new_record(run: str) -> str:
    """A path for the record of a run that nobody asked to keep; it is kept for a while all the same."""
    folder = os.path.join(cache_folder(), "runs")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(folder)
    except OSError:
        import tempfile

        folder = tempfile.mkdtemp(prefix="headstart-")
    return os.path.join(folder, run + SUFFIX)


def newest_record() -> str | None:
    """The record of the last run that was profiled, if it is still kept."""
    folder = os.path.join(cache_folder(), "runs")
    try:
        with os.scandir(folder) as entries:
            runs = [
                (entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(SUFFIX)
            ]
    except OSError:
        return None
    return max(runs)[1] if runs else None


def forget_old_runs() -> None:
    """Keep the newest runs with their children's records, drop the rest."""
    folder = os.path.join(cache_folder(), "runs")
    runs: dict[str, list[os.DirEntry[str]]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name, suffix, _ = entry.name.partition(SUFFIX)
                if suffix:
                    runs.setdefault(name, []).append(entry)
        if len(runs) <= KEPT_RUNS:
            return
        newest = sorted(runs.values(), key=lambda files: max(file.stat().st_mtime_ns for file in files))
        for files in newest[:-KEPT_RUNS]:
            for file in files:
                os.unlink(file.path)
    except OSError:
        pass  # another run is tidying up at the same time
