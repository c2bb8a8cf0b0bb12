"""Files that are opened, and whatever else Python tells of what a program does to the world."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import types
from collections.abc import Callable
from typing import Any, ClassVar

from ..fingerprint import origin

#: What one sees happen and cannot undo or repeat: the trace had an effect of its own, or asked the world.
_REFUSED_EVENTS = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.remove",
    "os.rename",
    "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "shutil.",
    "os.listdir", "os.scandir", "glob.", "os.chdir", "os.putenv", "os.unsetenv", "urllib.", "ftplib.", "smtplib.",
    "sqlite3.", "signal.pthread_kill", "os.kill", "webbrowser.", "ctypes.dlopen", "mmap.",
)  # fmt: skip
_AUTOGRAPH = "__autograph_generated_file"
_NAMELESS = getattr(os, "O_TMPFILE", 1 << 62)


class Files:
    """Files opened, from Python's own audit events; one hook for the process, since it can never be taken out."""

    _installed = False
    #: The one that sees. In a list, which the hook holds itself: it is called until the interpreter is gone.
    _current: ClassVar[list[Files | None]] = [None]

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self.read: dict[str, None] = {}
        self._refuse = refuse
        self._thread = threading.get_ident()

    def start(self) -> None:
        tempfile.gettempdir()  # finding the place writes to it, once; AutoGraph would do it in the window
        if not Files._installed:
            Files._installed = True
            sys.addaudithook(_hook(Files._current))
        Files._current[0] = self

    def stop(self) -> None:
        Files._current[0] = None

    def see(self, event: str, args: tuple[Any, ...]) -> None:
        if threading.get_ident() != self._thread:
            return
        if event == "open":
            self._opened(*args)
        elif event.startswith(_REFUSED_EVENTS) and not any(
            isinstance(arg, str) and _AUTOGRAPH in arg for arg in args
        ):
            self._refuse(f"while it is traced it does {event}")

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return  # a descriptor that is open already
        name = os.fsdecode(path)
        if _AUTOGRAPH in name or flags & _NAMELESS == _NAMELESS or os.path.isdir(name):
            return  # what AutoGraph makes, files that never had a name, and the place of a file that gets one
        writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
        if writes:
            if not name.endswith((".pyc", ".pyo")) and "__pycache__" not in name:
                self._refuse(f"while it is traced it writes {name}")
        elif name.startswith(("/dev/", "/proc/", "/sys/")):
            self._refuse(f"while it is traced it reads {name}")
        elif not _is_code(name):
            self.read[os.path.abspath(name)] = None


def _is_code(name: str) -> bool:
    """Source and compiled code: read to import or to convert; the key has what was made of it."""
    if name.endswith((".pyc", ".so")) or origin.of_file(name) == origin.STDLIB:
        return True
    return name.endswith(".py") and _is_read_by_python()


def _is_read_by_python() -> bool:
    """Whether a file is opened to import it or to show its lines; else a program may as well read it as data."""
    frame: types.FrameType | None = sys._getframe(1)
    for _ in range(_NEAR):
        if frame is None:
            return False
        place = frame.f_code.co_filename
        if place.startswith("<frozen importlib") or os.path.basename(place) in _READS_CODE:
            return True
        frame = frame.f_back
    return False


#: How far above the opening of a file the code that asked for it can be; some of these frames are ours.
_NEAR = 12
_READS_CODE = frozenset({"linecache.py", "tokenize.py", "_bootstrap_external.py"})


def _hook(current: list[Files | None]) -> Callable[[str, tuple[Any, ...]], None]:
    def audit(event: str, args: tuple[Any, ...]) -> None:
        files = current[0]
        if files is not None:
            try:
                files.see(event, args)
            except Exception:  # an audit hook that raises would stop the program's own action
                files._refuse(f"something not understood happened while it was traced ({event})")

    return audit
