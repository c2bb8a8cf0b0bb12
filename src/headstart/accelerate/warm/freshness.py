"""Whether what the server has imported is still what an import would find.

The kernel tells of every change in the folders that modules came from (inotify; the news is there by the time
that the change is done), and a handful of settings files is looked at for every run. Where the kernel cannot
watch so many folders, the files are compared one by one.
"""

from __future__ import annotations

import ctypes
import os
import select
import struct
import sys
from collections.abc import Iterable
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
# MODIFY, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF; ONLYDIR
_MASK = 0x2 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x01000000
_OVERFLOW = 0x4000
_EVENT = struct.Struct("iIII")

Signature = tuple[int, ...] | None


def signature(path: str) -> Signature:
    """Tells one state of a file from another; None if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev)


def module_files(modules: Iterable[Any]) -> list[str]:
    found = {getattr(module, "__file__", None) for module in modules}
    return sorted(path for path in found if isinstance(path, str))


def settings_files(opened: Iterable[str], folders: tuple[str, ...]) -> list[str]:
    """The files that are not part of a package: what they hold, or that they are missing, was read at import."""
    home = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    found = {os.path.join(home, "keras.json"), os.path.join(sys.prefix, "pyvenv.cfg")}
    found.update(path for path in opened if not path.startswith((*folders, "/proc/", "/sys/", "/dev/")))
    return sorted(found)


class Freshness:
    """Made when the imports are done; `began` is when they had not begun yet (wall clock, nanoseconds)."""

    def __init__(self, files: list[str], folders: Iterable[str], settings: list[str], began: int) -> None:
        self._settings = {path: signature(path) for path in settings}
        self._files: dict[str, Signature] = {}
        self._stale = ""
        self._folders: dict[int, str] = {}
        self._loaded = frozenset(files)
        self._roots = frozenset(folder.rstrip(os.sep) for folder in folders)
        self.descriptor = _libc.inotify_init1(_NONBLOCK_CLOEXEC)
        watched = {os.path.dirname(path) for path in files}
        watched |= {entry for entry in self._roots if os.path.isdir(entry)}
        if self.descriptor < 0 or not all(self._watch(folder) for folder in sorted(watched)):
            self.close()
            self._files = {path: signature(path) for path in files}
        changed = [path for path in files if (found := signature(path)) is None or found[0] >= began]
        if changed:
            self._stale = f"{changed[0]} changed while it was being imported"

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1

    def _watch(self, folder: str) -> bool:
        number = _libc.inotify_add_watch(self.descriptor, os.fsencode(folder), _MASK)
        self._folders[number] = folder
        return bool(number >= 0)

    def trouble(self) -> str:
        """Why the imports are out of date; empty if they are not. Once out of date, always."""
        if not self._stale and self.descriptor >= 0:
            self._stale = self._news()
        self._stale = self._stale or self._differing()
        return self._stale

    def glance(self) -> str:
        """The same from a forked process, which must not take the news from the server's queue."""
        if self.descriptor >= 0 and select.select([self.descriptor], [], [], 0)[0]:
            return "packages are being changed"
        return self._differing()

    def _differing(self) -> str:
        for path, before in (*self._settings.items(), *self._files.items()):
            if signature(path) != before:
                return f"{path} has changed"
        return "" if os.path.exists(sys.executable) else f"{sys.executable} is gone"

    def _news(self) -> str:
        while True:
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                return ""
            at = 0
            while at < len(data):
                number, mask, _, size = _EVENT.unpack_from(data, at)
                name = os.fsdecode(data[at + _EVENT.size : at + _EVENT.size + size].rstrip(b"\0"))
                at += _EVENT.size + size
                if mask & _OVERFLOW:
                    return "too many files changed to follow"
                folder = self._folders.get(number, "?")
                path = os.path.join(folder, name)
                if path in self._loaded or not name or self._installs(folder, name):
                    return f"{path.rstrip(os.sep)} has changed"

    def _installs(self, folder: str, name: str) -> bool:
        """Whether this looks like a package coming or going."""
        return folder in self._roots and name != "__pycache__" and not name.endswith((".pyc", "~", ".swp"))
