"""The store: entries by key, written whole or not at all, checked when read, bounded in size.

It is used inside other people's programs: whatever happens on disk (full, read-only, damaged, raced by other
processes), the answer is "not there", a number in :class:`Counters`, and never an exception.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from . import entry as entry_form
from .entry import DamagedEntry, Entry

SUFFIX = ".entry"
_PARTIAL = ".partial-"
#: A writer that died leaves its partial file; after this long nobody can still be writing it.
_PARTIAL_SECONDS = 3600.0
#: Where processes have folders of their own, which they remove when they end. (A first call can take long.)
WORK = "work"
_WORK_SECONDS = 3 * 86400.0
DEFAULT_MAX_BYTES = 4 << 30
#: An eviction frees a little more than needed, so that the next write does not have to evict again.
_LOW_WATER = 0.9


@dataclass
class Counters:
    """What happened to this process's use of the store."""

    hits: int = 0
    misses: int = 0
    writes: int = 0
    failed_writes: int = 0
    damaged: int = 0
    evicted: int = 0

    def as_dict(self) -> dict[str, int]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Listed:
    """One entry as the listing shows it."""

    kind: str
    key: str
    path: Path
    bytes: int
    last_used: float
    header: dict[str, Any]


class Store:
    """Entries of several kinds under one folder, which :func:`folder.open_folder` has approved."""

    def __init__(
        self, root: Path, *, max_bytes: int = DEFAULT_MAX_BYTES, clock: Callable[[], float] = time.time
    ) -> None:
        self.root = root
        self.max_bytes = max_bytes
        self.counters = Counters()
        self._clock = clock

    def path(self, kind: str, key: str) -> Path:
        if not (kind.isidentifier() and key and all(c in "0123456789abcdef" for c in key)):
            raise ValueError(f"not a kind and a key: {kind!r}, {key!r}")
        return self.root / kind / key[:2] / (key + SUFFIX)

    def get(self, kind: str, key: str) -> Entry | None:
        """The entry, or ``None``. A damaged one is dropped, so that it is written anew."""
        path = self.path(kind, key)
        try:
            data = _read(path)
        except OSError:
            self.counters.misses += 1
            return None
        try:
            found = entry_form.decode(data)
            if found.header.get("key") != key or found.header.get("kind") != kind:
                raise DamagedEntry("an entry of another name")
        except DamagedEntry:
            self.counters.damaged += 1
            self.counters.misses += 1
            _unlink(path)
            return None
        self.counters.hits += 1
        self._touch(path)
        return found

    def put(
        self, kind: str, key: str, header: dict[str, Any], sections: dict[str, bytes] | None = None
    ) -> bool:
        """Writes an entry; whoever reads at the same time sees the old one, the new one, or none."""
        path = self.path(kind, key)
        try:
            data = entry_form.encode(Entry({**header, "key": key, "kind": kind}, sections or {}))
            if len(data) > self.max_bytes:
                raise OSError("larger than the whole cache may be")
            _write(path, data, self._clock())
        except (OSError, ValueError, TypeError):
            self.counters.failed_writes += 1
            return False
        self.counters.writes += 1
        self._bound(spare=path)
        return True

    def drop(self, kind: str, key: str) -> bool:
        """Takes an entry out; whether there was one."""
        return _unlink(self.path(kind, key))

    def entries(self) -> Iterator[Listed]:
        """All entries with their headers, for listings. Unreadable ones are skipped."""
        for path, status in self._files():
            if path.suffix != SUFFIX:
                continue
            try:
                header = dict(_read_header(path))
            except (OSError, DamagedEntry):
                continue
            kind = path.parent.parent.name
            yield Listed(kind, path.stem, path, status.st_size, status.st_mtime, header)

    def paths(self) -> list[Path]:
        """Every file that should be an entry."""
        return [path for path, _ in self._files() if path.suffix == SUFFIX]

    def total_bytes(self) -> int:
        return sum(status.st_size for _, status in self._files())

    def prune(self, max_bytes: int | None = None) -> int:
        """Drops what was used longest ago until the rest fits; also what dead writers left. Bytes freed."""
        limit = self.max_bytes if max_bytes is None else max_bytes
        self.sweep()
        return self._evict(limit, limit, spare=None)

    def sweep(self) -> None:
        """Drops the working folders of processes that have died."""
        try:
            for folder in (self.root / WORK).iterdir():
                if abs(self._clock() - folder.stat().st_mtime) > _WORK_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # there are none

    def clear(self) -> int:
        """Drops everything. Bytes freed."""
        return sum(status.st_size for path, status in list(self._files()) if _unlink(path))

    def _bound(self, spare: Path) -> None:
        self._evict(self.max_bytes, int(self.max_bytes * _LOW_WATER), spare)

    def _evict(self, limit: int, target: int, spare: Path | None) -> int:
        found: list[tuple[float, int, Path]] = []
        freed = 0
        for path, status in self._files():
            if _PARTIAL in path.name:
                # Both directions: with the clock set back, a partial file of "the future" is old too.
                if abs(self._clock() - status.st_mtime) > _PARTIAL_SECONDS and _unlink(path):
                    freed += status.st_size
                continue
            found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        if total <= limit:
            return freed
        for _, size, path in sorted(found):
            if total <= target:
                break
            if path != spare and _unlink(path):
                total -= size
                freed += size
                self.counters.evicted += 1
        return freed

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        pending = [self.root]
        while pending:
            try:
                with os.scandir(pending.pop()) as listing:
                    for item in listing:
                        if item.is_dir(follow_symlinks=False):
                            pending.append(Path(item.path))
                        elif item.is_file(follow_symlinks=False):
                            yield Path(item.path), item.stat(follow_symlinks=False)
            except OSError:
                continue  # another process dropped it while we looked

    def _touch(self, path: Path) -> None:
        now = self._clock()
        try:
            os.utime(path, (now, now))
        except OSError:
            pass  # read-only cache: the order of eviction is all that is lost


def _read(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid():
            raise PermissionError("written by another user")
        parts = []
        while part := os.read(descriptor, 1 << 24):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _read_header(path: Path) -> Any:
    with open(path, "rb") as file:
        prefix = file.read(len(entry_form.MAGIC) + 4)
        return entry_form.decode_header(prefix + file.read(entry_form.header_length(prefix) - len(prefix)))


def _write(path: Path, data: bytes, now: float) -> None:
    for folder in (path.parent.parent, path.parent):  # makedirs would give the mode to the last one only
        if not folder.is_dir():
            os.makedirs(folder, mode=0o700, exist_ok=True)
    partial = path.with_name(f"{path.stem}{_PARTIAL}{os.getpid()}-{os.urandom(6).hex()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
        os.utime(partial, (now, now))
        os.replace(partial, path)
    except BaseException:
        _unlink(partial)
        raise


def _unlink(path: Path) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
