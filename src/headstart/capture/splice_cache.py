"""Remembers recompiled functions between runs, as Python remembers compiled modules.

Recompiling some sixty library functions takes about 0.15 s; reading them back takes about a millisecond. The
file holds code objects in the interpreter's own format, like a `.pyc`: it lives in the user's own cache
folder, is ignored unless the user owns it, and every entry names the source file's size and time.
"""

from __future__ import annotations

import marshal
import os
import sys
from types import CodeType
from typing import Any

from .._version import __version__

_MAGIC = f"headstart splices {__version__} {sys.version}".encode()
Key = tuple[Any, ...]


class SpliceCache:
    """Code objects by the identity of their source."""

    def __init__(self) -> None:
        self._codes: dict[Key, CodeType] | None = None
        self._fresh = 0

    def get(self, key: Key) -> CodeType | None:
        if self._codes is None:
            self._codes = _read(_path())
        return self._codes.get(key)

    def put(self, key: Key, code: CodeType) -> None:
        if self._codes is not None:
            self._codes[key] = code
            self._fresh += 1

    def save(self) -> None:
        """Write what is new. Losing it costs a moment in the next run, so every failure is ignored."""
        if not self._fresh or not self._codes:
            return
        self._fresh = 0
        path = _path()
        temporary = f"{path}.{os.getpid()}"
        try:
            # Entries of files that changed since are left behind.
            codes = {key: code for key, code in self._codes.items() if source_key(key[0]) == key[:3]}
            payload = marshal.dumps(codes)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(fd, "wb") as handle:
                    handle.write(_digest(payload) + payload)
                os.replace(temporary, path)
            except OSError:
                os.unlink(temporary)
        except (OSError, ValueError):
            pass


def source_key(filename: str) -> tuple[str, int, int]:
    try:
        status = os.stat(filename)
    except OSError:
        return (filename, 0, 0)
    return (filename, status.st_mtime_ns, status.st_size)


def _read(path: str) -> dict[Key, CodeType]:
    try:
        with open(path, "rb") as handle:
            if os.fstat(handle.fileno()).st_uid != os.geteuid():
                return {}
            data = handle.read()
        digest, payload = data[:32], data[32:]
        if _digest(payload) != digest:
            return {}
        codes = marshal.loads(payload)
        return codes if isinstance(codes, dict) else {}
    except (OSError, ValueError, EOFError, TypeError):
        return {}


def _digest(payload: bytes) -> bytes:
    # Checked before the interpreter sees the bytes: a truncated or foreign file must not reach `marshal`.
    from hashlib import blake2b

    return blake2b(payload, digest_size=32, key=blake2b(_MAGIC, digest_size=32).digest()).digest()


def cache_folder() -> str:
    """The user's own cache folder, found without the packages that know how: they are not light enough."""
    folder = os.environ.get("HEADSTART_CACHE_DIR")
    if not folder:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        folder = os.path.join(base, "headstart")
    return folder


def _path() -> str:
    tag = sys.implementation.cache_tag or "python"
    return os.path.join(cache_folder(), "splices", f"{tag}.bin")


cache = SpliceCache()
