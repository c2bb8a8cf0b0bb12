"""Where servers are met: a folder that only its owner can enter, with one socket and one key file a server."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_SOCKET = 100  # sockaddr_un holds 108 bytes
KEY, SOCKET, LOG, LOCK, MARK, SLOW = ".key", ".sock", ".log", ".lock", ".mark", ".slow"


def folder(environ: Mapping[str, str]) -> str:
    """The folder for this user's servers; a cache of its own (HEADSTART_CACHE_DIR) has servers of its own."""
    cache = environ.get("HEADSTART_CACHE_DIR")
    name = f"headstart-{os.getuid()}"
    if cache:
        path = os.path.join(os.path.abspath(os.path.expanduser(cache)), "warm")
        if len(os.fsencode(path)) <= _LONGEST_SOCKET - 16:
            return path
        import zlib

        name += f"-{zlib.crc32(os.fsencode(path)):08x}"
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and len(runtime) < _LONGEST_SOCKET - 40 and _private(runtime):
        return os.path.join(runtime, name)
    return os.path.join("/tmp", name)


def _private(path: str) -> bool:
    """Whether only we can enter this folder, and it is a folder, not a link to one."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.getuid()


def usable(path: str) -> bool:
    """Nothing may be read from or connected to in a folder that another user could have prepared."""
    return _private(path)


def prepare(path: str) -> None:
    """Make the folder; refuses one that is not ours alone."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    if not _private(path):
        raise PermissionError(f"{path} is not a folder that only you can enter")


def keys(path: str) -> list[str]:
    """The names of the servers that say they are here, newest first."""
    try:
        names = [name[: -len(KEY)] for name in os.listdir(path) if name.endswith(KEY)]
    except OSError:
        return []
    return sorted(names, reverse=True)
