"""Where the caches live, and whether that folder may be trusted.

What is read from here runs inside the user's program, so the folder must be the user's own: made with mode
0700, and refused when it belongs to someone else or when others may write to it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ...launch.places import cache_folder

#: Part of the path, so that a change of form starts an empty cache and never meets old entries.
LAYOUT = "kept-v1"

_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder is a cache of headstart; it can be deleted at any time.\n"
)


class RefusedFolder(Exception):
    """The folder cannot be used; the text says why and what to do."""


def default_folder() -> Path:
    """``HEADSTART_CACHE_DIR``, else the user's cache folder: where the rest of headstart keeps its files too."""
    return Path(cache_folder())


def open_folder(path: Path) -> Path:
    """Makes the folder where it is missing, checks whose it is, returns the part of it for this layout."""
    root = path / LAYOUT
    for folder in (path, root):
        _make(folder)
        _check(folder)
    _tag(path / "CACHEDIR.TAG")
    return root


def _make(folder: Path) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as problem:
        raise RefusedFolder(f"the cache folder {folder} cannot be made ({problem.strerror})") from None


def _check(folder: Path) -> None:
    try:
        status = os.stat(folder)
    except OSError as problem:
        raise RefusedFolder(f"the cache folder {folder} cannot be read ({problem.strerror})") from None
    if not stat.S_ISDIR(status.st_mode):
        raise RefusedFolder(f"{folder} is not a folder; set HEADSTART_CACHE_DIR to one")
    if status.st_uid != os.geteuid():
        raise RefusedFolder(f"the cache folder {folder} belongs to another user; set HEADSTART_CACHE_DIR")
    if stat.S_IMODE(status.st_mode) & 0o022:
        raise RefusedFolder(f"others may write to the cache folder {folder}; chmod 700 it, or choose another")


def _tag(path: Path) -> None:
    # Backup tools skip folders that carry this file. That it is missing harms nobody.
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return
    try:
        os.write(descriptor, _TAG.encode())
    except OSError:
        pass
    finally:
        os.close(descriptor)
