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


def forget_old_runs() -> None:
    """Keep the newest runs, drop the rest."""
    folder = os.path.join(cache_folder(), "runs")
    try:
        with os.scandir(folder) as entries:
            runs = sorted((e.stat().st_mtime_ns, e.path) for e in entries if SUFFIX in e.name)
        for _, path in runs[:-KEPT_RUNS]:
            os.unlink(path)
    except OSError:
        pass
